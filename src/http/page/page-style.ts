/** The look of the pages that are served without the web application: its colours, type and spacing, light and dark. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f4;--surface:#fff;--line:#dfe3da;--text:#171b17;--muted:#5a635b;--accent:#0b6e4f}
@media(prefers-color-scheme:dark){:root{--bg:#0e1210;--surface:#151a17;--line:#28302b;--text:#e8ede9;--muted:#98a39b;--accent:#4fd1a1}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/20px "IBM Plex Sans",system-ui,sans-serif}
main{max-width:860px;margin:0 auto;padding:48px 16px}
h1{font-size:22px;line-height:28px;margin:0 0 4px}
h2{font-size:15px;line-height:20px;margin:0 0 12px}
h3{font-size:13px;line-height:18px;margin:16px 0 8px}
a{color:var(--accent)}
p{margin:0 0 12px}
.lead,.muted{color:var(--muted)}
.card{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:16px;margin:16px 0}
.links{list-style:none;margin:0;padding:0}
.links li{display:flex;flex-wrap:wrap;gap:4px 12px;padding:12px 0;border-top:1px solid var(--line)}
.links li:first-child{border-top:0;padding-top:0}
.links a{font-weight:600;min-width:112px}
.links span{color:var(--muted)}
code,pre{font:12.5px/18px "IBM Plex Mono",ui-monospace,monospace}
pre{background:var(--bg);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;margin:0 0 12px}
table{border-collapse:collapse;width:100%;font-size:12.5px;line-height:17px}
th,td{text-align:left;vertical-align:top;padding:8px 12px 8px 0;border-top:1px solid var(--line)}
th{color:var(--muted);font-weight:600}
summary{cursor:pointer;padding:12px 0;min-height:44px;overflow-wrap:anywhere}
details{border-top:1px solid var(--line)}
.method{display:inline-block;min-width:56px;font-weight:600;color:var(--accent)}
.scroll{overflow-x:auto}
`;
