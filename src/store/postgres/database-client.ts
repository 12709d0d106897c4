import type { Socket } from "node:net";
import pg from "pg";
import type { DatabaseServer } from "#core/net/database-address.ts";
import { type DatabaseServers, readServerState } from "./database-servers.ts";

export interface DatabaseClientConfig extends pg.ClientConfig {
  readonly servers: DatabaseServers;
}

/** A server that owes an answer and has sent nothing for so long is asked, over a new connection, whether it is there. */
const SILENT_S = 5;

/** How long a server may take to close a connection that is done with. */
const END_MS = 2_000;

type Callback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** A connection to the primary, whichever server that is now. */
export class DatabaseClient extends pg.Client {
  readonly #servers: DatabaseServers | undefined;

  constructor(config?: DatabaseClientConfig) {
    super(config);
    this.#servers = config?.servers;
    // Whoever waits for an answer gets the error, too. One that nobody listens to would end the process.
    this.on("error", () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.Client> | undefined {
    const connected = this.#connectToPrimary();
    if (callback === undefined) return connected;
    const done = callback as (error: Error | null, client?: pg.Client) => void;
    connected.then((client) => done(null, client), done);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    const { stream } = this.connection;
    const timer = setTimeout(() => stream.destroy(), END_MS).unref();
    this.once("end", () => clearTimeout(timer));
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  async #connectToPrimary(): Promise<pg.Client> {
    const servers = this.#servers;
    const server = await servers?.choose();
    if (server !== undefined) Object.assign(this, { host: server.host, port: server.port });
    try {
      await super.connect();
      this.#watch(server);
      const state = await readServerState(this);
      const leave = servers?.accept(state, { drop: () => this.connection.stream.destroy() });
      if (leave !== undefined) this.once("end", leave);
      return this;
    } catch (error) {
      servers?.forget();
      await this.end().catch(() => {});
      throw error;
    }
  }

  /**
   * A machine that is stuck, or behind a network that drops its packets, keeps connections open and answers nothing. Whoever
   * waits would do so without an end. A server that is there may take its time: a commit may wait for a standby.
   */
  #watch(server: DatabaseServer | undefined): void {
    let [read, seconds] = [0, 0];
    // Seconds are counted, not measured: what came while this thread was busy has not been read yet.
    const timer = setInterval(() => {
      const bytesRead = bytesReadBy(this);
      seconds = bytesRead === read && isOwed(this) ? seconds + 1 : 0;
      read = bytesRead;
      if (seconds > 0 && seconds % SILENT_S === 0) void this.#dropIfGone(server, bytesRead);
    }, 1_000).unref();
    this.once("end", () => clearInterval(timer));
  }

  async #dropIfGone(server: DatabaseServer | undefined, before: number): Promise<void> {
    if (this.#servers === undefined || (await this.#servers.isThere(server))) return;
    if (bytesReadBy(this) !== before) return;
    this.#servers.forget();
    this.connection.stream.destroy(
      Object.assign(new Error("the server of the database does not answer"), { code: "ETIMEDOUT" }),
    );
  }
}

function bytesReadBy({ connection }: pg.Client): number {
  return (connection.stream as unknown as Socket).bytesRead;
}

function isOwed(client: pg.Client): boolean {
  return (client as unknown as { _getActiveQuery(): unknown })._getActiveQuery() != null;
}
