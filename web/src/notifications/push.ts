// This browser as a device that takes messages. A site has a registration of its own: its gateway has its own key, and a browser
// subscribes with one key per registration.
import type { Push } from "#client/resources.ts";
import { attempt } from "#web/data/attempt.ts";
import { client } from "#web/data/client.ts";

/** Why this browser cannot take messages. */
type Hindrance = "insecure" | "install" | "unsupported" | "denied";

const SCRIPT = "/service-worker.js";
const scopeOf = (site: string) => `/push/${encodeURIComponent(site)}/`;
const keyOf = (site: string) => `busbar.push.${site}`;

/** An iPhone takes messages for an installed page only. */
const isApple = () => /iPhone|iPad/.test(navigator.userAgent);

export function hindrance(): Hindrance | undefined {
  if (!window.isSecureContext) return "insecure";
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window))
    return isApple() ? "install" : "unsupported";
  return Notification.permission === "denied" ? "denied" : undefined;
}

/** Which of the devices is this browser. */
export function ownDevice(site: string, { devices }: Push): Push["devices"][number] | undefined {
  const known = attempt(() => localStorage.getItem(keyOf(site)));
  return devices.find(({ id }) => id === known);
}

/** Asks the person, the browser and the push service. Undefined: the person does not want it. */
export async function subscribeHere(site: string, name: string, language: "en" | "de") {
  if ((await Notification.requestPermission()) !== "granted") return undefined;
  const registration = await activeRegistration(site);
  const { public_key: key } = await client.notifications.push(site);
  // A subscription with another key is one of another installation behind the same address.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: key,
  });
  const { endpoint, keys } = subscription.toJSON();
  const given = { endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "" };
  try {
    const answer = await client.notifications.subscribe(site, { name, language, ...given });
    attempt(() => localStorage.setItem(keyOf(site), answer.device_id));
    return answer;
  } catch (error) {
    await subscription.unsubscribe();
    throw error;
  }
}

/** Ends a device; of this browser its subscription, too. */
export async function endDevice(site: string, id: string): Promise<void> {
  await client.notifications.endDevice(site, id);
  if (attempt(() => localStorage.getItem(keyOf(site))) !== id) return;
  attempt(() => localStorage.removeItem(keyOf(site)));
  const registration = await navigator.serviceWorker?.getRegistration(scopeOf(site));
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

async function activeRegistration(site: string): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.register(SCRIPT, { scope: scopeOf(site) });
  const coming = registration.installing ?? registration.waiting;
  if (registration.active !== null || coming === null) return registration;
  await new Promise<void>((resolve, reject) => {
    coming.addEventListener("statechange", () => {
      if (coming.state === "activated") resolve();
      if (coming.state === "redundant") reject(new Error("the service worker was not installed"));
    });
  });
  return registration;
}

/** A name that tells a person's devices apart. */
export function nameOfBrowser(agent: string): string {
  const first = (names: readonly string[]) => names.find((one) => agent.includes(one)) ?? "";
  const system = first(["iPhone", "iPad", "Android", "Windows", "Mac OS X", "CrOS", "Linux"]);
  const browser = first(["Edg", "Firefox", "Chrome", "Safari"]);
  const names: Readonly<Record<string, string>> = { "Mac OS X": "Mac", CrOS: "Chromebook", Edg: "Edge" };
  return [names[system] ?? system, names[browser] ?? browser].filter(Boolean).join(", ") || "Browser";
}
