import { type Agent, request } from "node:http";
import type { Victim } from "./victim.ts";

interface Sent {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  /** A text goes out as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: Agent;
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Of every call that is made here. */
interface Answer {
  readonly status: number;
  readonly body: {
    readonly id?: string;
    readonly token?: string;
    readonly site?: { readonly id: string };
    readonly sites?: readonly Named[];
    readonly devices?: readonly Named[];
    readonly tokens?: readonly Named[];
    readonly execution_id?: string;
    readonly executions?: readonly { readonly id: string; readonly state: string; readonly response?: object }[];
    readonly total_count?: number;
    readonly config?: object;
    readonly device_id?: string;
    readonly blueprint?: { readonly id: string };
  };
}

/** Rejects when the connection breaks before the whole answer is here. */
export function send(victim: Victim, { method, path, body, headers, agent }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const all = { "X-Service-Auth-Token": victim.token, ...headers };
    const sent = request(new URL(path, victim.url), { method, headers: all, ...(agent && { agent }) }, (answer) => {
      let text = "";
      answer.on("data", (part) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      answer.on("error", reject);
      answer.on("aborted", () => reject(new Error("cut off")));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}
