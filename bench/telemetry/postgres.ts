// PostgreSQL: a wide row per message, keyed by device and time.
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ATTRIBUTES, type DeviceColumn, makeDevice, makeYear, type Size } from "./data.ts";
import { type Engine, type Loaded, type Question, seriesOf, type Table } from "./engine.ts";
import { finish, folderBytes, residentBytes, run, until } from "./process.ts";

const PROGRAMS = "/usr/lib/postgresql";
const SQL_TYPES = { float: "float8", integer: "float8", string: "text", boolean: "boolean" } as const;
const DONE = "--answer-ends--";

export async function startPostgres(
  folder: string,
  port: number,
): Promise<Engine & { load(size: Size): Promise<Loaded> }> {
  const [version] = existsSync(PROGRAMS) ? readdirSync(PROGRAMS).sort().reverse() : [];
  if (version === undefined) throw new Error("postgresql is not installed");
  const bin = join(PROGRAMS, version, "bin");
  const data = join(folder, "postgres");
  mkdirSync(data, { recursive: true });
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : ["env"];
  if (isRoot) await finish("chown", ["postgres:postgres", data]);
  const program = (name: string, ...args: string[]): [string, string[]] => [
    asUser[0] ?? "",
    [...asUser.slice(1), join(bin, name), ...args],
  ];
  await finish(...program("initdb", "-D", data, "-A", "trust", "-U", "bench", "--no-locale", "-E", "UTF8"), {
    cwd: "/",
  });
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    `unix_socket_directories=${data}`,
    "shared_buffers=1GB",
    "max_wal_size=4GB",
    "work_mem=64MB",
    "jit=off",
    "logging_collector=off",
  ];
  const server = run(...program("postgres", "-D", data, ...settings.flatMap((one) => ["-c", one])), { cwd: "/" });
  const psql = [
    "-X",
    "-q",
    "-A",
    "-t",
    "-F",
    ",",
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    "-U",
    "bench",
    "-d",
    "postgres",
  ];
  await until(server, () =>
    finish(join(bin, "psql"), [...psql, "-c", "SELECT 1"], { stdio: ["ignore", "pipe", "ignore"] }),
  );

  function session() {
    const child = run(join(bin, "psql"), [...psql, "-v", "ON_ERROR_STOP=1"]);
    let text = "";
    let waiting: PromiseWithResolvers<string> | undefined;
    child.process.once("exit", () => waiting?.reject(new Error(`psql ended: ${child.output().slice(-500)}`)));
    child.process.stdout?.on("data", (part: Buffer) => {
      text += part.toString();
      if (!text.endsWith(`${DONE}\n`)) return;
      const answer = text.slice(0, -DONE.length - 1);
      text = "";
      waiting?.resolve(answer);
    });
    let turn: Promise<unknown> = Promise.resolve();
    const ask = (sql: string): Promise<string> => {
      const answer = turn.then(() => {
        waiting = Promise.withResolvers();
        child.process.stdin?.write(`${sql};\n\\echo ${DONE}\n`);
        return waiting.promise;
      });
      turn = answer;
      return answer;
    };
    return { ask, end: () => child.stop() };
  }
  const sessions = Array.from({ length: 4 }, session);
  let next = 0;
  const ask = (sql: string): Promise<string> =>
    sessions[next++ % sessions.length]?.ask(sql) ?? Promise.reject(new Error("no session"));

  return {
    name: "postgres",
    async load(size) {
      const columns = ATTRIBUTES.map(({ name, type }) => `${name} ${SQL_TYPES[type]}`).join(", ");
      await ask(`CREATE TABLE t (device smallint NOT NULL, at bigint NOT NULL, ${columns})`);
      await ask("CREATE TABLE y (at bigint NOT NULL, power float8 NOT NULL)");
      const started = performance.now();
      let points = 0;
      const copy = async (table: string, lines: Iterable<string>) => {
        const child = run(join(bin, "psql"), [...psql, "-c", `COPY ${table} FROM STDIN`]);
        const input = child.process.stdin;
        let block: string[] = [];
        for (const line of lines) {
          block.push(line);
          if (block.length < 2_000) continue;
          if (input?.write(`${block.join("\n")}\n`) === false) await once(input, "drain");
          block = [];
        }
        const ended = once(child.process, "exit");
        input?.end(block.length > 0 ? `${block.join("\n")}\n` : "");
        const [code] = await ended;
        if (code !== 0) throw new Error(`COPY failed: ${child.output()}`);
      };
      for (let device = 0; device < size.devices; device++) {
        const made = makeDevice(device, size);
        points += made.points;
        await copy("t", deviceLines(device, made.times, made.columns));
      }
      await copy(
        "y",
        (function* () {
          for (const { times, values } of makeYear(size)) {
            points += times.length;
            for (let i = 0; i < times.length; i++) yield `${times[i]}\t${values[i]}`;
          }
        })(),
      );
      await ask("ALTER TABLE t ADD PRIMARY KEY (device, at)");
      await ask("ALTER TABLE y ADD PRIMARY KEY (at)");
      const seconds = (performance.now() - started) / 1_000;
      await ask("VACUUM ANALYZE");
      await ask("CHECKPOINT");
      return { points, seconds };
    },
    ask: (question) => ask(statement(question)),
    parse,
    size: () => folderBytes(join(data, "base")),
    memory: () => residentBytes(server.process.pid),
    async stop() {
      for (const one of sessions) await one.end();
      await server.stop("SIGINT");
    },
  };
}

function* deviceLines(device: number, times: Float64Array, columns: readonly DeviceColumn[]): Iterable<string> {
  const next = columns.map(() => 0);
  for (const [row, time] of times.entries()) {
    const cells = columns.map(({ spec, rows, values }, index) => {
      const at = next[index] ?? 0;
      if (rows !== undefined && rows[at] !== row) return "\\N";
      next[index] = at + 1;
      const value = values[at] ?? 0;
      return spec.words?.[value] ?? (spec.type === "boolean" ? (value === 1 ? "t" : "f") : String(value));
    });
    yield `${device}\t${time}\t${cells.join("\t")}`;
  }
}

function statement({ devices, attributes, aggregation, fill, from, to, granularity }: Question): string {
  const isYear = devices[0] === "year";
  const bucket = `at / ${granularity} * ${granularity}`;
  const where = `at >= ${from} AND at < ${to}${isYear ? "" : ` AND device IN (${devices.join(", ")})`}`;
  const device = isYear ? "" : ", device";
  if (aggregation === "avg") {
    const means = attributes.map((name) => `avg(${name})`).join(", ");
    return `SELECT ${isYear ? "'year'" : "device"}, ${bucket} AS b, ${means} FROM ${isYear ? "y" : "t"} WHERE ${where} GROUP BY b${device} ORDER BY b`;
  }
  const name = attributes[0] ?? "";
  const lasts = `SELECT DISTINCT ON (b) device, b, ${name} AS v FROM (SELECT device, at, ${bucket} AS b, ${name} FROM t WHERE ${where} AND ${name} IS NOT NULL) x ORDER BY b, at DESC`;
  if (!fill) return lasts;
  return `SELECT ${devices[0]}, s, max(v) OVER (PARTITION BY g ORDER BY s) FROM (
    SELECT s, v, count(v) OVER (ORDER BY s) AS g FROM generate_series(${from}::bigint, ${to - 1}::bigint, ${granularity}::bigint) s
    LEFT JOIN (${lasts}) l ON l.b = s) f ORDER BY s`;
}

function parse(question: Question, answer: string): Table {
  const columns = seriesOf(question);
  const table = new Map<number, (number | string | undefined)[]>();
  for (const line of answer.split("\n")) {
    if (line === "") continue;
    const [device = "", bucket, ...cells] = line.split(",");
    const start = Number(bucket);
    const row = table.get(start) ?? columns.map(() => undefined);
    for (const [index, cell] of cells.entries()) {
      const place = columns.findIndex((one) => String(one[0]) === device && one[1] === question.attributes[index]);
      row[place] = cell === "" ? undefined : question.aggregation === "avg" ? Number(cell) : cell;
    }
    table.set(start, row);
  }
  return table;
}
