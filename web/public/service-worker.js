// The page as an installed app. It keeps files of the page whose names change with their content, and one page that says that the
// server is away. It never keeps the page itself, nor an answer of the interface: what is shown is live, or says that it is not.
// A new version of this file takes over at once: nothing that it does depends on the one before.
// The build puts a digest of the files that it keeps from the beginning here (web/build/worker-of-version.ts).
const KEPT = "shell-1";
const OFFLINE = "/offline.html";
const BEGIN = [OFFLINE, "/offline.css", "/icon.svg"];
const MOST_ASSETS = 200;
/** Addresses that the server answers itself. */
const OF_SERVER = /^\/(v3|api|telemetry|docs|openapi\.json|schemas|healthz|readyz|metrics)(\/|$)/;
const LONGEST_TEXT = 2_000;

self.addEventListener("install", (event) => {
  event.waitUntil(begin());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate" && !OF_SERVER.test(pathname)) event.respondWith(openPage(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(readAsset(request));
  else if (BEGIN.includes(pathname)) event.respondWith(fetch(request).catch(() => caches.match(request)));
});

self.addEventListener("push", (event) => {
  event.waitUntil(showMessage(event.data));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openScreen(event.notification.data?.open));
});

async function begin() {
  const cache = await caches.open(KEPT);
  await cache.addAll(BEGIN.map((path) => new Request(path, { cache: "reload" })));
  await self.skipWaiting();
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
  await self.clients.claim();
}

async function openPage(request) {
  try {
    return await fetch(request);
  } catch {
    const kept = await caches.match(OFFLINE);
    return kept === undefined ? Response.error() : new Response(kept.body, { status: 503, headers: kept.headers });
  }
}

async function readAsset(request) {
  const cache = await caches.open(KEPT);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  // A network that asks for a password answers everything, and that must not stay.
  const isOurs = answer.ok && answer.type === "basic" && !answer.redirected;
  if (isOurs && answer.headers.get("cache-control")?.includes("immutable")) {
    await cache.put(request, answer.clone());
    // The oldest come first.
    const assets = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/assets/"));
    for (const old of assets.slice(0, Math.max(0, assets.length - MOST_ASSETS))) await cache.delete(old);
  }
  return answer;
}

/** A browser expects that each message is shown, also one that cannot be read. */
async function showMessage(data) {
  const given = read(data);
  const text = (value, otherwise) => (typeof value === "string" ? value.slice(0, LONGEST_TEXT) : otherwise);
  await self.registration.showNotification(text(given.title, "Busbar"), {
    body: text(given.text, ""),
    // The same message twice is shown once.
    tag: text(given.id, "busbar"),
    icon: "/icon-192.png",
    requireInteraction: given.severity === "error" && given.kind !== "over",
    data: { open: text(given.open, "/") },
  });
}

function read(data) {
  try {
    return Object(data?.json());
  } catch {
    return {};
  }
}

/** Screens of this page only. A page that is open already goes there. */
async function openScreen(open) {
  const home = new URL("/", self.location.origin);
  const wanted = URL.canParse(open, home) ? new URL(open, home) : home;
  const { href } = wanted.origin === home.origin ? wanted : home;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find(({ focused }) => focused) ?? windows[0];
  if (shown === undefined) return await self.clients.openWindow(href);
  // Some browsers let a page come to the front only sometimes.
  await shown.focus().catch(() => {});
  shown.postMessage({ open: href });
}
