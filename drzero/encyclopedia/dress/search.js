"use strict";
// Finds subjects by their words. Tables are loaded as scripts, since a page from a disk may read no other files.
(() => {
  const MOST = 30;
  const about = window.drzeroSearch;
  const told = document.getElementById("told");
  const list = document.getElementById("found");
  const box = document.getElementById("q");
  const waiting = new Map();
  const loaded = new Map();
  window.drzeroTable = (name, table) => { loaded.set(name, table); };

  const load = (name) => {
    if (!waiting.has(name)) {
      waiting.set(name, new Promise((done) => {
        const script = document.createElement("script");
        script.src = `search/${name}.js`;
        script.onload = script.onerror = () => done(loaded.get(name));
        document.head.append(script);
      }));
    }
    return waiting.get(name);
  };

  // As `search_words` cuts them in Python: no marks, no capitals, ideographs one by one.
  const wordsOf = (text) => (text.normalize("NFKD").replace(/\p{Mn}+/gu, "").toLowerCase().normalize("NFKD")
    .match(/[\p{Script=Han}]|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{Mc}])+/gu) || []);

  const tableOf = (word) => {
    const [first, second] = [...word].map((letter) => letter.codePointAt(0));
    return `w${(first * 31 + (second || 0)) % about.tables}`;
  };

  // What a word finds: subject → weight. Words that only begin with it count half.
  const finds = async (word) => {
    const table = (await load(tableOf(word))) || {};
    const weights = new Map();
    for (const [other, numbers] of Object.entries(table)) {
      if (!other.startsWith(word) || ([...word].length < 2 && other !== word)) continue;
      const rarity = Math.log(1 + about.subjects / numbers.length) * (other === word ? 1 : 0.5);
      let at = 0;
      for (const step of numbers) {
        at += step;
        const subject = at >> 1;
        weights.set(subject, Math.max(weights.get(subject) || 0, rarity * (at & 1 ? 4 : 1)));
      }
    }
    return weights;
  };

  const search = async (query) => {
    const words = [...new Set(wordsOf(query))].slice(0, 12);
    const weights = await Promise.all(words.map(finds));
    const sums = new Map();
    for (const found of weights) {
      for (const [subject, weight] of found) {
        const [count, sum] = sums.get(subject) || [0, 0];
        sums.set(subject, [count + 1, sum + weight]);
      }
    }
    const ranked = [...sums].sort(([a, [m, x]], [b, [n, y]]) => n - m || y - x || a - b);
    const best = ranked.length ? ranked[0][1][0] : 0;
    const hits = ranked.filter(([, [count]]) => count === best);
    return [hits.map(([subject]) => subject), best === words.length];
  };

  const show = async (query) => {
    list.replaceChildren();
    if (!query.trim()) { told.textContent = "Write words into the box above to find subjects."; return; }
    told.textContent = "Searching…";
    const [hits, all] = await search(query);
    const rows = await Promise.all(hits.slice(0, MOST).map(async (subject) => {
      const table = await load(`t${Math.floor(subject / about.rows)}`);
      return table && table[subject % about.rows];
    }));
    for (const [path, title, words] of rows.filter(Boolean)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = path;
      link.dir = "auto";
      link.textContent = title;
      const lead = document.createElement("p");
      lead.dir = "auto";
      lead.textContent = words;
      item.append(link, lead);
      list.append(item);
    }
    const count = `${hits.length.toLocaleString("en")} subject${hits.length === 1 ? "" : "s"}`;
    const shown = hits.length > MOST ? `, the best ${MOST} of them` : "";
    told.textContent = !hits.length ? `Nothing found for “${query}”.`
      : `${count} for “${query}”${all ? "" : ", though none has all these words"}${shown}:`;
  };

  if (!about) return;
  const query = new URLSearchParams(location.search).get("q") || "";
  box.value = query;
  show(query);
  box.form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(box.value)}`);
    show(box.value);
  });
  if (!query) box.focus();
})();
