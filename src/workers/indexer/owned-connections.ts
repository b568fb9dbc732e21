// Loaded into Ponder's process before Ponder. Ponder takes a lock and never looks at it again: frozen or cut off for a while, it goes on writing
// beside the one that has taken its place. So each of its connections is opened only while its run owns the index, and has a name by which it is ended.
import { promisify } from 'node:util';
import { Client as PgClient } from 'pg';

/** By Mintrail's database, as whoever starts Ponder says. */
interface OwnedIndex {
  connectionName: string;
  /** A query that has a row while the run is the owner. */
  query: string;
}

type Connected = (error: Error | null, client?: Client) => void;
interface Client {
  connectionParameters: { application_name?: string };
  connect: (callback?: Connected) => Promise<Client> | void;
  query: (text: string, callback: (error: Error | null, result: { rowCount: number | null }) => void) => void;
}

const text = process.env.OWNED_INDEX;
if (text !== undefined) {
  const { connectionName, query } = JSON.parse(text) as OwnedIndex;
  const prototype = PgClient.prototype as unknown as Client;
  const { connect } = prototype;
  prototype.connect = function (this: Client, callback) {
    if (callback === undefined) return promisify((done: Connected) => void this.connect(done))() as Promise<Client>;
    this.connectionParameters.application_name = connectionName;
    // At once where there is no connection, as the library does: Ponder asks its question then too, and only a client that has not ended yet answers it.
    return connect.call(this, (failure) => {
      if (failure) return callback(failure);
      this.query(query, (error, result) => {
        // 75: not for ever. Whoever started it waits until it is the owner again.
        if (!error && result.rowCount === 0) process.exit(75);
        callback(error, this);
      });
    });
  };
}
