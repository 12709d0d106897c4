import type { PortAnswer } from "./port-request.ts";

export function byteText(answer: PortAnswer): string {
  if (!(answer instanceof Uint8Array)) throw new TypeError("a port answered with something else than bytes");
  return Buffer.from(answer).toString("latin1");
}

export function numberOf(answer: PortAnswer): number {
  if (typeof answer !== "number") throw new TypeError("a port answered with something else than a number");
  return answer;
}
