import type { Creation, commands } from "./commands.ts";
import type { devices } from "./devices.ts";
import type { JsonObject, Snapshot } from "./resources.ts";
import type { CommandRun } from "./run-command.ts";
import type { telemetry } from "./telemetry.ts";

/** What a device sends and takes. `busbar blueprint types` writes it as the type `Device` of a blueprint. */
export type DeviceShape = {
  /** By command: `{ arguments, response }`. */
  readonly commands: object;
  readonly telemetry: object;
  readonly properties: object;
  /** By bucket. */
  readonly configuration: object;
};

type ArgumentsOf<Command> = Command extends { readonly arguments: infer Arguments } ? Arguments : JsonObject;
type ResponseOf<Command> = Command extends { readonly response: infer Response } ? Response : JsonObject;
type Options = Creation & { readonly ephemeral?: boolean | undefined };
type Runner<Command> =
  Record<never, never> extends ArgumentsOf<Command>
    ? (args?: ArgumentsOf<Command>, options?: Options) => CommandRun<ResponseOf<Command>>
    : (args: ArgumentsOf<Command>, options?: Options) => CommandRun<ResponseOf<Command>>;

/** Nothing is known about the device: every name will do. */
type IsUnknown<Part> = [keyof Part] extends [never] ? true : false;
type Named<Part> = IsUnknown<Part> extends true ? Readonly<Record<string, unknown>> : Required<Part>;

export type TypedDevice<Shape extends DeviceShape> = {
  readonly id: string;
  /** One function for each command. It sends the command off at once: see `CommandRun`. */
  readonly commands: {
    readonly [Name in keyof Named<Shape["commands"]>]: Runner<Named<Shape["commands"]>[Name]>;
  };
  readonly telemetry: {
    /** The newest values of some attributes. What was never sent is absent. */
    readonly now: <Name extends keyof Named<Shape["telemetry"]> & string>(
      ...names: readonly [Name, ...Name[]]
    ) => Promise<{
      readonly [One in Name]?: Omit<Snapshot, "value"> & { readonly value: Named<Shape["telemetry"]>[One] };
    }>;
  };
  readonly properties: () => Promise<Partial<Shape["properties"]>>;
  readonly configuration: {
    readonly get: <Bucket extends keyof Named<Shape["configuration"]> & string>(
      bucket: Bucket,
    ) => Promise<Partial<Named<Shape["configuration"]>[Bucket]>>;
    /** Replaces the values of the bucket. */
    readonly put: <Bucket extends keyof Named<Shape["configuration"]> & string>(
      bucket: Bucket,
      values: Named<Shape["configuration"]>[Bucket],
    ) => Promise<void>;
  };
};

type Parts = {
  readonly commands: Pick<ReturnType<typeof commands>, "run">;
  readonly devices: Pick<ReturnType<typeof devices>, "properties" | "configuration">;
  readonly telemetry: Pick<ReturnType<typeof telemetry>, "now">;
};

/** The types say what the blueprint declares; the server checks every call against the blueprint anyway. */
export function typedDevice<Shape extends DeviceShape>(parts: Parts, id: string): TypedDevice<Shape> {
  const run =
    (name: string) =>
    (args?: JsonObject, options: Options = {}) => {
      const { ephemeral, ...call } = options;
      return parts.commands.run(id, { name, arguments: args, ephemeral }, call);
    };
  const device = {
    id,
    commands: new Proxy(
      {},
      // Without the exception for `then`, whoever awaits the object would run a command.
      { get: (_target, name) => (typeof name === "string" && name !== "then" ? run(name) : undefined) },
    ),
    telemetry: {
      now: async (...names: readonly string[]) => (await parts.telemetry.now({ [id]: names })).devices[id] ?? {},
    },
    properties: async () => (await parts.devices.properties(id)).properties,
    configuration: {
      get: async (bucket: string) => (await parts.devices.configuration.getBucket(id, bucket)).values,
      put: async (bucket: string, values: JsonObject) => {
        await parts.devices.configuration.putBucket(id, bucket, values);
      },
    },
  };
  // The names of the shape exist in types alone.
  return device as unknown as TypedDevice<Shape>;
}
