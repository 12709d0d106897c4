import type { Instant } from "#core/time/instant.ts";

/** A question to a gateway that another node talks to. */
export interface StoredQuestion {
  readonly id: string;
  readonly gatewayId: string;
  /** Encrypted. */
  readonly content: Uint8Array;
  readonly expiresAt: Instant;
}

/** Questions and answers on their way between the nodes of a cloud. Each is there for seconds. */
export interface QuestionStore {
  put(question: StoredQuestion): Promise<void>;
  /** Its content, once: undefined when another node has taken it, or nobody waits for the answer any more. */
  take(id: string): Promise<Uint8Array | undefined>;
  /** Encrypted. Nothing happens when nobody waits for it any more. */
  storeAnswer(id: string, answer: Uint8Array): Promise<void>;
  answer(id: string): Promise<Uint8Array | undefined>;
  delete(id: string): Promise<void>;
  /** Those whose node has ended. Returns how many, a bounded number at a time. */
  prune(expiredBefore: Instant): Promise<number>;
}
