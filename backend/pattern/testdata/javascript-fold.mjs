// Writes javascript-fold.txt: for every character of the BMP (surrogates left out)
// the set of characters that a real JavaScript engine matches with it under /i
// without u, where there is more than itself. Run: node javascript-fold.mjs > javascript-fold.txt
const all = [];
for (let c = 0; c < 0x10000; c++) if (c < 0xd800 || c > 0xdfff) all.push(c);
const text = String.fromCharCode(...all.slice(0, 32768)) + String.fromCharCode(...all.slice(32768));
const seen = new Set();
console.log(`# node ${process.version}, Unicode ${process.versions.unicode}`);
for (const c of all) {
  if (seen.has(c)) continue;
  const hex = c.toString(16).padStart(4, '0');
  const found = [...text.matchAll(new RegExp(`\\u${hex}`, 'gi'))].map((m) => m[0].charCodeAt(0));
  if (found.length < 2) continue;
  for (const f of found) seen.add(f);
  console.log(found.map((f) => f.toString(16)).join(' '));
}
