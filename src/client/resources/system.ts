/** How the node that answered does. */
export type System = {
  readonly version: string;
  readonly role: string;
  readonly started_at: string;
  readonly nodes: number;
  readonly process: {
    readonly node: string;
    readonly platform: string;
    readonly memory_bytes: number;
    /** 0 to 1, since the figure was read before. */
    readonly main_thread_busy: number;
    readonly event_loop_delay_ms: number;
    /** null where the system does not tell. */
    readonly threads: readonly { readonly name: string; readonly count: number; readonly cpu_seconds: number }[] | null;
  };
  readonly storage: {
    readonly kind: string;
    readonly files: readonly { readonly name: string; readonly bytes: number }[];
    readonly free_bytes: number;
    readonly retention: string;
  };
  readonly broker: {
    readonly kind: string;
    readonly mqtt_port: number | null;
    readonly mqtts_port: number | null;
    /** null with an outside broker. */
    readonly connections: number | null;
  };
  readonly hosted_devices: Readonly<Record<string, number>>;
  readonly telemetry_values: { readonly kept: number; readonly left_out: number };
  readonly buffers: readonly { readonly name: string; readonly used_bytes: number; readonly limit_bytes: number }[];
  readonly shares: readonly {
    readonly name: string;
    readonly inside: number;
    readonly waiting: number;
    readonly refused: number;
  }[];
};

export type SystemLogLine = {
  readonly at: string;
  readonly level: string;
  readonly subject: string | null;
  readonly message: string;
  /** JSON. */
  readonly details: string;
};

/** A setting that can be changed while Busbar runs. */
export type SystemSetting = {
  readonly name: string;
  readonly about: string;
  readonly value: string;
  readonly configured: string;
  readonly changed: boolean;
};
