// A gateway in this process without rate limits, for measurements.
import { pino } from 'pino'
import type { DatabaseLocation } from '../../src/data/driver/database-location.ts'
import { openGateway } from '../../src/gateway.ts'
import { Cipher, newKeyRing } from '../../src/lib/cipher.ts'

/** Opens a gateway that only logs errors. Its background work does not run until it is started. */
export const openUnlimitedGateway = (location: DatabaseLocation, keyRing = newKeyRing()) =>
  openGateway({
    location,
    openCipher: () => new Cipher(keyRing),
    logger: pino({ level: 'error' }),
    outbound: { allowPrivateAddresses: false },
    rates: 'off',
    corsOrigins: [],
    trustedProxies: 0,
    introspection: false,
    graphiql: false,
    dashboard: false,
  })
