import { createManifestTools } from "./manifest-tools.ts";
import type { Answer, Question } from "./manifest-worker-client.ts";

const tools = createManifestTools();

self.addEventListener("message", ({ data: { id, name, values } }: MessageEvent<Question>) => {
  try {
    const call = tools[name] as (...values: readonly unknown[]) => unknown;
    self.postMessage({ id, result: call(...values) } satisfies Answer);
  } catch (error) {
    self.postMessage({ id, error: String(error) } satisfies Answer);
  }
});
