// An example call as people would type it: for curl, for TypeScript with `@busbar/client`, and for Python.
import type { RouteDescription } from "#http/route.ts";
import { EXAMPLE_IDS } from "./example-ids.ts";
import type { Example } from "./examples.ts";

interface Sample {
  readonly lang: "curl" | "TypeScript" | "Python";
  readonly source: string;
}

/** What all samples need once. `{address}` is where the page is read, and `{prefix}` begins the name of the header. `$BUSBAR` and `$TOKEN` are the address and the token. */
export const SAMPLE_SETUP: readonly Sample[] = [
  { lang: "curl", source: "export BUSBAR={address}\nexport TOKEN=$(cat .busbar/admin.token)" },
  {
    lang: "TypeScript",
    source:
      'import { createClient } from "@busbar/client";\n\nconst client = createClient({ url: "{address}", token });',
  },
  {
    lang: "Python",
    source: `import json, os, urllib.request

def call(method, path, body=None, headers={}):
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["BUSBAR"] + path, data, method=method)
    for name, value in {"{prefix}-Auth-Token": os.environ["TOKEN"], **headers}.items():
        request.add_header(name, value)
    with urllib.request.urlopen(request, timeout=90) as answer:
        content = answer.read()
        return json.loads(content) if answer.headers["Content-Type"] == "application/json" else content`,
  },
];

export function renderSamples(route: RouteDescription, example: Example, headerPrefix: string): readonly Sample[] {
  const ids: Readonly<Record<string, string>> = EXAMPLE_IDS;
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(ids[name] ?? name));
  const query = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const call = {
    ...example,
    method: route.method,
    address: query.length === 0 ? path : `${path}?${query.join("&").replaceAll("%2C", ",").replaceAll("%3A", ":")}`,
    type: Array.isArray(route.body) ? String(route.body[0]) : undefined,
    isPublic: route.level === "public",
    headerPrefix,
  };
  return [
    { lang: "curl", source: renderCurl(call) },
    ...(example.ts === undefined ? [] : [{ lang: "TypeScript", source: `await ${example.ts};` } as const]),
    { lang: "Python", source: renderPython(call) },
  ];
}

interface SampleCall extends Example {
  readonly method: string;
  readonly address: string;
  /** Of a file that is sent. */
  readonly type: string | undefined;
  readonly isPublic: boolean;
  readonly headerPrefix: string;
}

function renderCurl({ method, address, headers, body, file, type, isPublic, headerPrefix }: SampleCall): string {
  const isPost = method === "POST" && (body !== undefined || file !== undefined);
  // Brackets are patterns for curl.
  const globbing = address.includes("[") ? "-g " : "";
  const lines = [
    `curl ${method === "GET" || isPost ? "" : `-X ${method} `}${globbing}"$BUSBAR${address}"`,
    ...(isPublic ? [] : [`-H "${headerPrefix}-Auth-Token: $TOKEN"`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
    ...(file === undefined ? [] : [`-H "Content-Type: ${type}"`, `--data-binary @${file}`]),
  ];
  return lines.join(" \\\n  ");
}

function renderPython({ method, address, headers, body, file, type }: SampleCall): string {
  const sent = { ...headers, ...(file !== undefined && { "Content-Type": type ?? "" }) };
  const content = file === undefined ? pythonOf(body) : `open(${JSON.stringify(file)}, "rb").read()`;
  const more = [
    ...(body === undefined && file === undefined ? [] : [content]),
    ...(Object.keys(sent).length === 0 ? [] : [`headers=${pythonOf(sent)}`]),
  ];
  return `call(${[JSON.stringify(method), JSON.stringify(address), ...more].join(", ")})`;
}

function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${pythonOf(inner)}`)
    .join(", ")}}`;
}
