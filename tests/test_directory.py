import pytest
from libzim.reader import Archive

from drzero.corpus.directory import reading_order


def test_directory_lists_every_entry_once_redirects_last(make_zim):
    path = make_zim({f"p{n}": f"<p>{n}" for n in range(50)}, redirects={"a": ("A", "p1"), "z": ("Z", "p2")})
    archive = Archive(path)
    order, namespaces = reading_order([path], new_layout=True)
    entries = [archive._get_entry_by_id(int(number)) for number in order]
    assert sorted(entry.path for entry in entries) == sorted(["a", "z", *(f"p{n}" for n in range(50))])
    assert [entry.path for entry in entries[-2:]] == ["a", "z"]
    assert {chr(namespaces[int(number)]) for number in order} == {"C"}
    assert len(namespaces) == archive.all_entry_count


def test_directory_survives_a_table_that_points_nowhere(make_zim):
    path = make_zim({"p": "<p>x"})
    content = bytearray(path.read_bytes())
    table = int.from_bytes(content[32:40], "little")
    content[table : table + 8] = b"\xff" * 8
    path.write_bytes(content)
    order, namespaces = reading_order([path], new_layout=False)
    assert sorted(order) == list(range(len(namespaces)))


@pytest.mark.data
def test_directory_groups_entries_by_cluster_in_every_layout(shared_data):
    for folder, new_layout in (("withns", False), ("nons", True)):
        path = shared_data / "zims/real" / folder / "wikibooks_be_all_nopic_2017-02.zim"
        order, _ = reading_order([path], new_layout=new_layout)
        archive = Archive(path)
        assert len(order) == archive.entry_count
        flags = [archive._get_entry_by_id(int(number)).is_redirect for number in order]
        assert flags == sorted(flags)
