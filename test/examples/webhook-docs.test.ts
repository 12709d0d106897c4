// The verification example of docs/alerts.md, run as it stands there.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { renderDelivery } from "#outbound/webhook/delivery-wire.ts";
import type { OutgoingDelivery } from "#service/ports/webhook-sender.ts";

type Verify = (secret: string, header: string, body: string) => boolean;

async function example(): Promise<Verify> {
  const page = readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8");
  const [, code = ""] = /^```js\n([\s\S]*?)^```/m.exec(page) ?? [];
  const module = await import(`data:text/javascript,${encodeURIComponent(`${code}\nexport { isFromBusbar };`)}`);
  return (module as { isFromBusbar: Verify }).isFromBusbar;
}

function signed(sentAt: number, secret = "whsec_x"): { readonly header: string; readonly body: string } {
  const delivery = { id: "d1", kind: "alert", occurredAt: instant(0), event: '{"text":"Größe"}' };
  const outgoing = { url: "", secret, delivery, sentAt: instant(sentAt) } as unknown as OutgoingDelivery;
  const { body, headers } = renderDelivery(outgoing);
  return { body, header: headers["X-Busbar-Signature"] ?? "" };
}

test("the example accepts what is signed, and nothing else", async () => {
  const verify = await example();
  const { header, body } = signed(Date.now());
  expect(verify("whsec_x", header, body)).toBe(true);
  expect(verify("whsec_y", header, body)).toBe(false);
  expect(verify("whsec_x", header, `${body} `)).toBe(false);
  expect(verify("whsec_x", header.replace(/v1=.*/, "v1=00"), body)).toBe(false);
  expect(verify("whsec_x", header.replace(/,v1=.*/, ""), body)).toBe(false);
  const old = signed(Date.now() - 600_000);
  expect(verify("whsec_x", old.header, old.body)).toBe(false);
});
