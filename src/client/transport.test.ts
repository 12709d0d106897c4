import { expect, test } from "vitest";
import { startFakeBusbar } from "../../test/support/fake-busbar.ts";
import { createTransport } from "./transport.ts";

/** What comes of an answer that stops after its first piece. */
async function readSilent(isEndless: boolean): Promise<string> {
  async function* body() {
    yield "first";
    await new Promise(() => {});
  }
  const server = await startFakeBusbar({ "GET /long": () => ({ body: body() }) });
  const { stream } = createTransport({ url: server.url });
  let text = "";
  try {
    const pieces = await stream({ method: "GET", path: "/long" }, { silence: 50, isEndless });
    for await (const piece of pieces) text += Buffer.from(piece);
    return `${text}, end`;
  } catch (error) {
    return `${text}, ${error instanceof Error ? error.message.replace(server.url, "server") : error}`;
  } finally {
    await server.stop();
  }
}

test("an answer that should have an end and falls silent is a failure, never a shorter answer", async () => {
  expect(await readSilent(false)).toBe("first, no answer from server: timeout");
});

test("an answer without end that falls silent ends", async () => {
  expect(await readSilent(true)).toBe("first, end");
});
