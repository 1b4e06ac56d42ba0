//! Looks that the report's pages share.

/// Enough of a hash to tell it from others by eye.
pub(super) fn short_hash(hash: &str) -> String {
    hash.chars().take(12).collect()
}

/// The looks of the report.
pub const CSS: &str = "\
:root{--paper:#faf7f1;--card:#fffdf9;--ink:#2b2118;--faint:#8b7b68;--rule:#e6dccb;\
--green:#4f8a3c;--red:#b8432f;--amber:#c98a1b;--blue:#2f6c9e;--violet:#76549a;--teal:#2a8a83;\
--grey:#9a938a;--shade:0 1px 2px rgba(60,40,10,.06),0 8px 24px rgba(60,40,10,.05)}\
@media(prefers-color-scheme:dark){:root{--paper:#191613;--card:#221e1a;--ink:#ece3d6;\
--faint:#a39583;--rule:#3a332b;--green:#8cc474;--red:#e5806c;--amber:#e6b455;--blue:#7fb4dd;\
--violet:#b79ad6;--teal:#6cc7bf;--grey:#8a8279;--shade:none}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);\
font:15px/1.5 'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif}\
main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}\
header p{margin:0;color:var(--faint)}\
h1{font-size:34px;line-height:1.15;margin:6px 0 10px;letter-spacing:-.01em;text-wrap:balance}\
h2{font-size:13px;letter-spacing:.08em;text-transform:uppercase;color:var(--faint);\
margin:40px 0 12px;font-weight:600}\
.warning{margin-top:14px;padding:10px 14px;border-left:4px solid var(--amber);background:var(--card);\
border-radius:0 8px 8px 0}\
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:14px;margin-top:26px}\
.tile,.card{background:var(--card);border:1px solid var(--rule);border-radius:12px;\
box-shadow:var(--shade)}\
.tile{padding:14px 16px}\
.tile b{display:block;font-size:26px;line-height:1.2;font-variant-numeric:tabular-nums}\
.tile span{color:var(--faint);font-size:13px}\
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:16px}\
.card{padding:16px 18px;min-width:0}\
.card h3{font-size:15px;margin:0 0 2px}\
.card .note{color:var(--faint);font-size:13px;margin:0 0 8px}\
.key{display:flex;flex-wrap:wrap;gap:4px 14px;font-size:12.5px;color:var(--faint);margin-top:6px}\
.key .swatch{display:inline-block;width:14px;height:3px;vertical-align:middle;\
margin-right:6px}\
svg{display:block;width:100%;height:auto}\
svg text{font:11px 'Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif;fill:var(--faint)}\
.grid{stroke:var(--rule);stroke-width:1}\
.line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\
.dashed{stroke-dasharray:5 5;stroke-width:1.5;opacity:.75}\
.area{opacity:.16}\
.boards{display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:16px}\
.boards figure{margin:0}.boards img{display:block;width:100%;height:auto;border-radius:8px}\
.boards figcaption{margin-top:8px;font-weight:600;font-size:14px}\
.scroll{overflow-x:auto}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th{font-weight:600;font-size:12.5px;color:var(--faint);text-align:left;padding:4px 12px 8px 0;\
white-space:nowrap}\
td{padding:7px 12px 7px 0;border-top:1px solid var(--rule);vertical-align:top}\
th:last-child,td:last-child{padding-right:0}\
.n{text-align:right;white-space:nowrap}\
code{font:12.5px ui-monospace,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}\
.pill{display:inline-block;padding:1px 10px;border-radius:99px;font-size:12.5px;font-weight:600;\
border:1px solid currentColor}\
.proved{color:var(--green)}.open{color:var(--blue)}.failed{color:var(--red)}\
.dim{color:var(--faint)}\
.bar{display:block;width:100%;height:16px;border-radius:8px;overflow:hidden;background:var(--rule);margin:6px 0 2px}\
.meter{display:inline-block;width:90px;height:7px;border-radius:4px;background:var(--rule);\
overflow:hidden;vertical-align:middle;margin-left:8px}\
footer{margin-top:44px;color:var(--faint);font-size:13px}\
@media print{body{background:#fff}.card,.tile{break-inside:avoid;box-shadow:none}}\
@media(max-width:520px){.plots{grid-template-columns:1fr}h1{font-size:27px}}";

/// Colours for lines and parts, in the order in which they are given out.
pub(super) const COLOURS: [&str; 6] = [
    "var(--blue)",
    "var(--red)",
    "var(--green)",
    "var(--violet)",
    "var(--amber)",
    "var(--teal)",
];

pub(super) fn colour(i: usize) -> &'static str {
    COLOURS.get(i).copied().unwrap_or("var(--grey)")
}
