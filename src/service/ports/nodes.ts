// Messages between the processes that share the records, and how they agree on who does what.

/**
 * A message to all other nodes. None of them is needed to be right, only to be quick: whatever it says is in the
 * records, too, and a node that missed it finds it there.
 */
export type NodeMessage =
  /** An execution waits for its device, or has ended. */
  | {
      readonly kind: "execution";
      readonly has: "waits" | "ended";
      readonly deviceId: string;
      readonly id: string;
      /** The execution, sealed, where that is known and small. */
      readonly content?: string;
    }
  /** A token was revoked or otherwise changed. */
  | { readonly kind: "token"; readonly id: string }
  /** Tokens of a person, and that person's own access. */
  | { readonly kind: "tokens"; readonly ids: readonly string[] }
  /** Sessions of the page. */
  | { readonly kind: "sessions"; readonly have: "ended" | "renewed"; readonly ids: readonly string[] }
  /** All credentials of a device but this one are void. */
  | { readonly kind: "credential"; readonly deviceId: string; readonly valid: string }
  /** A gateway has connected to this node, so a connection that another node has of it is over. */
  | { readonly kind: "gateway"; readonly id: string }
  /** A change waits for its gateway, or is settled. */
  | { readonly kind: "change"; readonly has: "waits" | "ended"; readonly gatewayId: string; readonly id: string }
  /** A question waits for the node that talks to its gateway, or is answered. */
  | { readonly kind: "question"; readonly has: "waits" | "ended"; readonly gatewayId: string; readonly id: string }
  /** A gateway shall get another credential. */
  | { readonly kind: "rotate"; readonly id: string }
  /** The access of a gateway was revoked. */
  | { readonly kind: "revoked"; readonly id: string }
  /** Controls of a device stand otherwise: this one, or all of them. */
  | { readonly kind: "controls"; readonly deviceId: string; readonly control?: string }
  /** A gateway has come or gone, so its controls are confirmed or not. */
  | { readonly kind: "gateway_controls"; readonly id: string }
  /** A gateway has reported something of these rules of its site, or of all of them. */
  | { readonly kind: "rules"; readonly siteId: string; readonly ruleIds?: readonly string[] }
  /** Webhooks were created or deleted. */
  | { readonly kind: "webhooks" }
  /** Settings were changed. */
  | { readonly kind: "settings" }
  /** Profiles were uploaded. */
  | { readonly kind: "profiles" }
  /**
   * Devices that a node hears now and did not, and the other way round. Such messages of a node are numbered. After
   * `isWhole` all of its devices are listed anew.
   */
  | {
      readonly kind: "heard";
      readonly node: string;
      readonly number: number;
      readonly isWhole?: boolean;
      readonly joined?: readonly string[];
      readonly left?: readonly string[];
    }
  /** This node shall list all devices that it hears. */
  | { readonly kind: "who_hears"; readonly node: string }
  /** All devices that a node hears, for nodes of the version before. */
  | { readonly kind: "alive"; readonly deviceIds: readonly string[] }
  /** Messages are missing: whatever is kept in memory may be outdated. */
  | { readonly kind: "missed" };

export interface Claim {
  /** Fires when the claim is lost. Another node may have it from then on. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface Nodes {
  /** False where one process alone uses the records. */
  readonly isShared: boolean;
  /** Sends the message to all other nodes at once, without a promise that they get it. */
  broadcast(message: NodeMessage): void;
  /** The listener must not throw. Returns the function that unsubscribes. */
  listen(listener: (message: NodeMessage) => void): () => void;
  /** Whether the listeners know of every token, credential and webhook that another node changed a second ago. */
  isCurrent(): boolean;
  /** Undefined when another node, or another part of this one, has the claim. It ends with the process. */
  claim(name: string): Promise<Claim | undefined>;
  /** Those of these claims that somebody has, by one look at all of them. */
  held(names: readonly string[]): Promise<ReadonlySet<string>>;
  /** How many nodes there are, this one included. */
  count(): Promise<number>;
}

const NEVER = new AbortController().signal;

/** One process alone: there is nobody to send to, and only another part of itself can have a claim. */
export function oneNode(): Nodes {
  const claimed = new Set<string>();
  return {
    isShared: false,
    broadcast: () => {},
    listen: () => () => {},
    isCurrent: () => true,
    async claim(name) {
      if (claimed.has(name)) return undefined;
      claimed.add(name);
      let isHeld = true;
      const release = async () => {
        if (isHeld) claimed.delete(name);
        isHeld = false;
      };
      return { lost: NEVER, release };
    },
    held: async (names) => new Set(names.filter((name) => claimed.has(name))),
    count: async () => 1,
  };
}
