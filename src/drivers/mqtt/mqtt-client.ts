export interface MqttTarget {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isInsecure: boolean;
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export interface MqttMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
}

export interface MqttConnection {
  publish(message: MqttMessage & { readonly qos: 0 | 1; readonly retain: boolean }, timeoutMs: number): Promise<void>;
  subscribe(filter: string, qos: 0 | 1, timeoutMs: number): Promise<void>;
  unsubscribe(filter: string, timeoutMs: number): Promise<void>;
  /** What has arrived since the last call, oldest first, and how many were dropped for lack of room. */
  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number };
  isConnected(): boolean;
  close(): void;
}
