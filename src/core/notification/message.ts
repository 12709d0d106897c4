// What a channel is told, before it is put into words.
import type { AlertSeverity } from "#core/alert/alert-state.ts";
import type { Instant } from "#core/time/instant.ts";

/** `raised`: told for the first time. `reminder`: again, because nobody has acknowledged it. `over`: it has ended. */
export const MESSAGE_KINDS = ["raised", "reminder", "over", "rule", "test"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** One alert, or one message of a rule, as it was when it was told. */
export interface MessageItem {
  /** Name of the device. Undefined: it is about the site. */
  readonly device: string | undefined;
  readonly deviceId: string | undefined;
  /** Of the alert. */
  readonly alertId: string | undefined;
  readonly severity: AlertSeverity;
  readonly name: string;
  readonly text: string | undefined;
  readonly at: Instant;
}

export interface MessageContent {
  readonly kind: MessageKind;
  readonly site: string;
  /** An IANA name. */
  readonly timezone: string;
  /** How often it was told before. */
  readonly count: number;
  readonly items: readonly MessageItem[];
}
