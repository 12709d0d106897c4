// The demo site over HTTP: six devices that run, what they show, and what a restart keeps.
import { describe, expect, test } from "vitest";
import { useServer } from "../support/server.ts";

interface Listed {
  readonly devices: readonly {
    readonly id: string;
    readonly slug: string;
    readonly type: string;
    readonly site_id: string;
    readonly connectivity?: { readonly status: string };
  }[];
}
