import { escapeHtml } from "#http/page/html-answer.ts";
import { PAGE_STYLE } from "#http/page/page-style.ts";

interface About {
  readonly version: string;
  readonly role: string;
  readonly headerPrefix: string;
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  gateway: "A gateway: it works on its own next to the devices.",
  cloud: "A cloud: it stands over many gateways.",
};

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
<h1>Busbar</h1>
<p class="lead">${escapeHtml(ROLE_WORDS[role] ?? role)} Version ${escapeHtml(version)}.</p>
<section class="card" aria-labelledby="look">
<h2 id="look">Look around</h2>
<ul class="links">
<li><a href="docs">API reference</a><span>every operation, what it takes and what it answers</span></li>
<li><a href="openapi.json">openapi.json</a><span>the same for programs: OpenAPI 3.1</span></li>
<li><a href="readyz">readyz</a><span>whether calls can be served right now</span></li>
<li><a href="metrics">metrics</a><span>for Prometheus, from this machine</span></li>
</ul>
</section>
<section class="card" aria-labelledby="try">
<h2 id="try">Three commands to try</h2>
<p>In the folder you started it from. The first start wrote the admin token to <code>.busbar/admin.token</code>; the command line finds it there.</p>
<pre tabindex="0"><code>./bin/busbar site list
./bin/busbar device list
./bin/busbar token create --name phone --level user</code></pre>
<p>Or by HTTP:</p>
<pre tabindex="0"><code>curl -H "${header}: $(cat .busbar/admin.token)" http://127.0.0.1:8080/v3/devices</code></pre>
</section>
</main>
</body>
</html>
`;
}
