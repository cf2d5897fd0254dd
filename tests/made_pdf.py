"""PDF files written by hand: as few objects as make a real document."""

from __future__ import annotations

from collections.abc import Sequence


def make_pdf(
    pages: Sequence[Sequence[str]],
    *,
    title: str = "",
    bookmarks: Sequence[tuple[str, int]] = (),
    encrypted: bool = False,
) -> bytes:
    """A PDF of `pages`, each a list of lines in Latin-1, with `bookmarks` as (title, page number from 0)."""
    count = len(pages)
    first_mark = 5 + 2 * count
    kids = " ".join(f"{5 + 2 * number} 0 R" for number in range(count))
    outlines = f"/Outlines {first_mark} 0 R" if bookmarks else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {outlines} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        f"<< /Title ({title}) >>",
    ]
    for number, lines in enumerate(pages):
        shown = "\n".join(f"({line}) Tj T*" for line in lines)
        stream = f"BT /F1 10 Tf 50 800 Td 14 TL\n{shown}\nET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream.encode('latin-1'))} >>\nstream\n{stream}\nendstream")
    if bookmarks:
        last = first_mark + len(bookmarks)
        objects.append(f"<< /Type /Outlines /First {first_mark + 1} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>")
        for at, (name, number) in enumerate(bookmarks, first_mark + 1):
            following = f"/Next {at + 1} 0 R" if at < last else ""
            objects.append(
                f"<< /Title ({name}) /Parent {first_mark} 0 R {following} /Dest [{5 + 2 * number} 0 R /Fit] >>"
            )
    lock = ""
    if encrypted:
        objects.append(f"<< /Filter /Standard /V 1 /R 2 /O <{'11' * 32}> /U <{'22' * 32}> /P -4 >>")
        lock = f"/Encrypt {len(objects)} 0 R /ID [<{'33' * 16}> <{'33' * 16}>]"
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = len(out)
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode()
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R {lock} >>\nstartxref\n{table}\n%%EOF".encode()
    return bytes(out)
