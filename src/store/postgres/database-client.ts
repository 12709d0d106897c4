import pg from "pg";
import { type DatabaseServers, readServerState } from "./database-servers.ts";

export interface DatabaseClientConfig extends pg.ClientConfig {
  readonly servers: DatabaseServers;
}

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

  async #connectToPrimary(): Promise<pg.Client> {
    const servers = this.#servers;
    const server = await servers?.choose();
    if (server !== undefined) Object.assign(this, { host: server.host, port: server.port });
    try {
      await super.connect();
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
}
