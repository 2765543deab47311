// The warning beside a new API key.
export const COPY_KEY =
  'Copy the key now. It cannot be read again. If it is lost, create another key and revoke this one.'
