import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withProgress } from "./progress.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What is written while work takes some milliseconds. */
async function written(isTTY: boolean, milliseconds: number): Promise<string> {
  let text = "";
  const work = new Promise<string>((resolve) => setTimeout(resolve, milliseconds, "done"));
  const stderr = {
    isTTY,
    write: (part: string | Uint8Array) => {
      text += part;
    },
  };
  const shown = withProgress({ stderr }, "waiting for host", work);
  await vi.advanceTimersByTimeAsync(milliseconds);
  expect(await shown).toBe("done");
  return text;
}

test("quick work shows nothing", async () => {
  expect(await written(true, 300)).toBe("");
});

test("long work is shown on a terminal, and its line is cleared at the end", async () => {
  const text = await written(true, 2_000);
  expect(text).toContain("waiting for host");
  expect(text.endsWith("\r\u001b[2K")).toBe(true);
});

test("nothing is shown where no terminal is", async () => {
  expect(await written(false, 10_000)).toBe("");
});
