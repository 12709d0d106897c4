import { expect, onTestFinished, test, vi } from "vitest";
import { client } from "./client.ts";
import { holdCalls } from "./connection.ts";

test("calls that are held are sent when what they wait for has come, and later ones at once", async () => {
  const answer = () => Promise.resolve(Response.json({ sites: [] }));
  const sent = vi.spyOn(globalThis, "fetch").mockImplementation(answer);
  onTestFinished(() => sent.mockRestore());
  const picture = Promise.withResolvers<void>();
  holdCalls(picture.promise);
  const calls = [client.sites.list({}), client.sites.get("one")];
  await new Promise((resolve) => setTimeout(resolve));
  expect(sent).not.toHaveBeenCalled();
  picture.resolve();
  await Promise.all(calls);
  expect(sent).toHaveBeenCalledTimes(2);
  const later = client.sites.list({});
  expect(sent).toHaveBeenCalledTimes(3);
  await later;
});
