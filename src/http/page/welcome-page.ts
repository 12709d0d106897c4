import { escapeHtml } from "#http/page/html-answer.ts";
import { PAGE_MARK, PAGE_STYLE } from "#http/page/page-style.ts";

interface About {
  readonly version: string;
  readonly role: string;
  readonly headerPrefix: string;
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  gateway: "It works on its own, next to the devices of this site.",
  cloud: "It stands over many gateways.",
};

const LINKS = [
  ["docs/guide", "Guide", "How to use it, from the first minute on"],
  ["docs", "API reference", "Every operation, what it takes and what it answers"],
  ["openapi.json", "OpenAPI 3.1", "The same for programs"],
  ["schemas/device-3.0.json", "Manifest schema", "For editors that check blueprints while you type"],
  ["readyz", "Readiness", "Whether calls can be served right now"],
  ["metrics", "Metrics", "For Prometheus, from this machine"],
] as const;

const STEPS = [
  ["See the sites", "./bin/busbar site list"],
  ["See the devices", "./bin/busbar device list"],
  ["Make a token for your phone", "./bin/busbar token create --name phone --level user"],
] as const;

export function renderWelcomePage({ version, role, headerPrefix }: About): string {
  const header = escapeHtml(`${headerPrefix}-Auth-Token`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Busbar ${escapeHtml(role)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<header>${PAGE_MARK}<h1>Busbar</h1><span class="pill">${escapeHtml(role)} running</span>
<p class="muted">${escapeHtml(ROLE_WORDS[role] ?? role)} Version ${escapeHtml(version)}.</p></header>
<p>The web page is not built here, or the setting <code>http.page</code> is off. <code>npm start</code> builds it; so does <code>npm run build</code>, and Busbar serves it after the next start.</p>
<div class="columns">
<section class="card" aria-labelledby="try">
<h2 id="try">Three commands to try</h2>
<p class="muted small">In the folder you started it from. The first start wrote the admin token to <code>.busbar/admin.token</code>; the command line finds it there.</p>
<ol class="steps">${STEPS.map(([about, command]) => `<li>${about}<pre tabindex="0"><code>${command}</code></pre></li>`).join("")}</ol>
<h3>Or by HTTP</h3>
<pre tabindex="0"><code>curl -H "${header}: $(cat .busbar/admin.token)" \\
  http://127.0.0.1:8080/v3/devices</code></pre>
</section>
<section class="card" aria-labelledby="look">
<h2 id="look">Look around</h2>
<ul class="links">${LINKS.map(([href, name, about]) => `<li><a href="${href}" data-about="${about}">${name}</a></li>`).join("")}</ul>
</section>
</div>
</main>
</body>
</html>
`;
}
