//! The style sheet of a page, for light and dark displays.

/// The style sheet. Pictures stand on a light panel in both colour schemes.
pub(crate) const STYLE: &str = ":root {
  color-scheme: light dark;
  --ink: #1b1f24; --paper: #ffffff; --soft: #f3f5f8; --line: #ccd3db; --link: #0b5cad;
  --alarm: #8a3b00; --alarm-paper: #fff3e2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ed; --paper: #14181d; --soft: #1f252c; --line: #3b444e; --link: #7db8f5;
    --alarm: #ffc078; --alarm-paper: #33240f;
  }
}
body {
  margin: 0 auto; padding: 1rem 1.25rem 3rem; max-width: 62rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
h1 { font-size: 1.6rem; margin: 1rem 0 0.5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.5rem; }
a { color: var(--link); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0; list-style: none; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; }
caption { text-align: left; padding-bottom: 0.35rem; }
th, td { padding: 0.25rem 0.7rem; border-bottom: 1px solid var(--line); text-align: left; }
thead th { background: var(--soft); }
tbody th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.warning {
  padding: 0.6rem 0.9rem; border-left: 4px solid var(--alarm);
  background: var(--alarm-paper); color: var(--alarm);
}
figure { display: inline-block; margin: 1rem 1rem 1rem 0; width: min(100%, 30rem); }
figure svg { display: block; width: 100%; height: auto; background: #ffffff; border-radius: 6px; }
figcaption { font-size: 0.9rem; margin-top: 0.35rem; }
@media print { body { max-width: none; } figure, tr { break-inside: avoid; } }
";
