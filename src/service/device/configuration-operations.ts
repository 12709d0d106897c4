import type { Payload } from "#core/command/execution.ts";
import {
  type ConfigurationNeeds,
  checkConfiguration,
  readConfiguration,
  writeConfiguration,
} from "#service/device/configuration.ts";
import { deviceOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation, type Place } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";

const tag = "Configuration";
const values = Type.Object({}, { additionalProperties: true, description: "Parameter to value." });
const buckets = Type.Unsafe<Record<string, Payload>>({
  type: "object",
  maxProperties: 100,
  additionalProperties: { type: "object", description: "Parameter to value." },
});
const allAnswer = Type.Object({ configuration: buckets }, { additionalProperties: false });
const oneAnswer = Type.Object({ bucket: Type.String(), values }, { additionalProperties: false });

type Buckets = Readonly<Record<string, Payload>>;

const change = { by: "gateway", place: deviceOfPath, waits: true, compares: "configuration" } as const;
const bucketOf = ({ params }: AnyCall) => (params as { readonly bucket?: string }).bucket ?? "";

export function configurationOperations(needs: ConfigurationNeeds): readonly Operation[] {
  /** What the cloud can find out before a change waits, from its copies. */
  const check = async (call: AnyCall, { device }: Place, buckets: ReadonlyMap<string, Payload>, isOneBucket: boolean) =>
    void (await checkConfiguration(needs, call, { device: device?.id ?? "", buckets, isOneBucket }));
  return [
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/configuration",
      name: "getConfiguration",
      summary: "Read the configuration of a device",
      description: "The buckets that the token's level may read, defaults filled in; sensitive values read ***.",
      tag,
      level: "readonly",
      answer: allAnswer,
      run: async (call) => {
        const read = await readConfiguration(needs, call, { device: call.params.device_id, bucket: undefined });
        return { configuration: Object.fromEntries(read) };
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/devices/:device_id/configuration",
      name: "putConfiguration",
      summary: "Replace configuration buckets of a device",
      description: "All given buckets or none. A sensitive parameter that is left out or sent as *** keeps its value.",
      tag,
      level: "readonly",
      atGateway: {
        ...change,
        shown: ({ body }) => ({ buckets: Object.keys(body as Buckets) }),
        check: (call, place) => check(call, place, new Map(Object.entries(call.body as Buckets)), false),
        current: async (call, place, given) => {
          if (given !== undefined) return {};
          const names = new Set(Object.keys(call.body as Buckets));
          const read = await readConfiguration(needs, call, { device: place.device?.id ?? "", bucket: undefined });
          return { configuration: Object.fromEntries([...read].filter(([name]) => names.has(name))) };
        },
      },
      body: buckets,
      answer: allAnswer,
      run: async (call) => {
        const given = new Map(Object.entries(call.body));
        const written = await writeConfiguration(needs, call, {
          device: call.params.device_id,
          buckets: given,
          isOneBucket: false,
        });
        return { configuration: Object.fromEntries(written) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/devices/:device_id/configuration/:bucket",
      name: "getConfigurationBucket",
      summary: "Read one configuration bucket",
      tag,
      level: "readonly",
      answer: oneAnswer,
      run: async (call) => {
        const { device_id: device, bucket } = call.params;
        return { bucket, values: (await readConfiguration(needs, call, { device, bucket })).get(bucket) ?? {} };
      },
    }),
    operation({
      method: "PUT",
      path: "/v3/devices/:device_id/configuration/:bucket",
      name: "putConfigurationBucket",
      summary: "Replace one configuration bucket",
      tag,
      level: "readonly",
      atGateway: {
        ...change,
        shown: (call) => ({ buckets: [bucketOf(call)] }),
        check: (call, place) => check(call, place, new Map([[bucketOf(call), call.body as Payload]]), true),
        current: async (call, place, given) => {
          if (given !== undefined) return {};
          const bucket = bucketOf(call);
          const read = await readConfiguration(needs, call, { device: place.device?.id ?? "", bucket });
          return { bucket, values: read.get(bucket) ?? {} };
        },
      },
      body: values,
      answer: oneAnswer,
      run: async (call) => {
        const { device_id: device, bucket } = call.params;
        const written = await writeConfiguration(needs, call, {
          device,
          buckets: new Map([[bucket, call.body as Payload]]),
          isOneBucket: true,
        });
        return { bucket, values: written.get(bucket) ?? {} };
      },
    }),
  ];
}
