/** The look of the pages that are served without the web application: its colours, type and spacing, light and dark. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f4;--surface:#fff;--line:#dfe3da;--text:#171b17;--muted:#5a635b;--accent:#0b6e4f;--ink:#fff;--ok:#15733e;--warning:#8a5a00;--error:#b3261e;--info:#1f5fbf}
@media(prefers-color-scheme:dark){:root{--bg:#0e1210;--surface:#151a17;--line:#28302b;--text:#e8ede9;--muted:#98a39b;--accent:#4fd1a1;--ink:#0e1210;--ok:#57c785;--warning:#f0b429;--error:#ff8a80;--info:#7db5ff}}
*{box-sizing:border-box}
html{scroll-padding-top:16px}
body{margin:0;background:var(--bg);color:var(--text);font:14px/20px "IBM Plex Sans",system-ui,sans-serif;-webkit-text-size-adjust:100%}
main{max-width:1080px;margin:0 auto;padding:40px 16px 64px}
header{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;margin:0 0 24px}
header p{flex-basis:100%;margin:4px 0 0}
.mark{width:28px;height:28px;flex:none;fill:var(--accent)}
.mark path{fill:var(--ink)}
h1{font-size:22px;line-height:28px;font-weight:600;margin:0}
h2{font-size:13px;line-height:18px;font-weight:600;margin:0 0 8px}
h3{font-size:12.5px;line-height:17px;font-weight:600;margin:16px 0 8px;color:var(--muted)}
p{margin:0 0 12px;overflow-wrap:anywhere}
a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.muted{color:var(--muted)}
.small{font-size:12.5px;line-height:17px}
.reference{display:grid;grid-template-columns:minmax(0,1fr);gap:16px}
.pill{display:inline-flex;align-items:center;gap:6px;padding:2px 10px;border-radius:999px;font-size:12.5px;line-height:18px;font-weight:600;color:var(--ok);background:color-mix(in srgb,var(--ok) 12%,var(--surface))}
.pill::before{content:"";width:6px;height:6px;border-radius:50%;background:currentColor}
.columns,.sections,ol.steps{display:grid;grid-template-columns:minmax(0,1fr)}
.columns,.sections{gap:16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:16px;min-width:0}
.card>:last-child{margin-bottom:0}
.links{list-style:none;margin:0;padding:0}
.links li+li{border-top:1px solid var(--line)}
.links a{display:flex;flex-direction:column;justify-content:center;min-height:44px;padding:10px 0;color:var(--text);font-weight:600;text-decoration:none}
.links a::after{content:attr(data-about);color:var(--muted);font-weight:400;font-size:12.5px;line-height:17px}
.links a:hover{color:var(--accent)}
code,pre{font:12.5px/18px "IBM Plex Mono",ui-monospace,monospace}
pre{background:var(--bg);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;margin:0 0 12px}
ol.steps{margin:0 0 12px;padding:0;list-style:none;gap:12px}
ol.steps pre{margin:4px 0 0}
table{border-collapse:collapse;width:100%;font-size:12.5px;line-height:17px}
th,td{text-align:left;vertical-align:top;padding:8px 16px 8px 0;border-top:1px solid var(--line)}
th{color:var(--muted);font-weight:600;border-top:0;white-space:nowrap}
.scroll{overflow-x:auto}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:8px}
nav a{display:flex;align-items:center;justify-content:space-between;gap:12px;min-height:44px;padding:0 12px;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--text);text-decoration:none}
nav a:hover{color:var(--accent)}
nav b{font-weight:400;color:var(--muted);font-variant-numeric:tabular-nums}
details{border-top:1px solid var(--line)}
summary{cursor:pointer;list-style:none;display:grid;grid-template-columns:64px minmax(0,1fr);gap:2px 12px;align-items:center;min-height:44px;padding:10px 0}
summary::-webkit-details-marker{display:none}
summary code{overflow-wrap:anywhere}
summary:hover code{color:var(--accent)}
summary .muted{grid-column:2}
.schema>summary{grid-template-columns:minmax(0,1fr)}
details[open]{padding-bottom:12px}
.method{justify-self:start;padding:2px 8px;border-radius:6px;font-size:11px;line-height:16px;font-weight:600;--tone:var(--info);color:var(--tone);background:color-mix(in srgb,var(--tone) 10%,var(--surface))}
.POST{--tone:var(--ok)}
.PUT,.PATCH{--tone:var(--warning)}
.DELETE{--tone:var(--error)}
@media(min-width:900px){
.columns{grid-template-columns:repeat(2,minmax(0,1fr));align-items:start}
.reference{grid-template-columns:200px minmax(0,1fr);gap:32px;align-items:start}
nav{position:sticky;top:24px}
nav ul{display:grid;gap:2px}
nav a{min-height:36px;border-color:transparent;background:none}
nav a:hover{background:var(--surface);border-color:var(--line)}
summary{grid-template-columns:64px minmax(0,1fr) minmax(0,40%)}
summary .muted{grid-column:auto}
}
`;

/** The logo: a bolt on a disc. */
export const PAGE_MARK =
  '<svg class="mark" viewBox="0 0 28 28" aria-hidden="true"><circle cx="14" cy="14" r="14"/><path d="M15.6 5 8 15.6h4.8L11.6 23 19.6 12h-5z"/></svg>';
