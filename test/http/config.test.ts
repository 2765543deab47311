// The settings of the gateway, and the errors for invalid values.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { largestPlan } from '../../src/http/rate-limit.ts'
import { newKeyRing } from '../../src/lib/cipher.ts'
import { defaultStreamLimits } from '../../src/lib/stream-limits.ts'

describe('secrets in files', () => {
  async function fileWith(content: string): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'secrets-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = path.join(folder, 'secret')
    await writeFile(file, content)
    return file
  }

  test('have the value of the file, without the line break at its end', async () => {
    const ring = newKeyRing()
    const given = {
      DATABASE_URL_FILE: await fileWith('postgresql://gateway:secret@db.example.com/gateway\n'),
      ENCRYPTION_KEYS_FILE: await fileWith(`${ring}\r\n`),
      BOOTSTRAP_API_KEY_FILE: await fileWith('chosen-by-grace-1906'),
    }
    expect(readConfig(given)).toMatchObject({
      databaseUrl: 'postgresql://gateway:secret@db.example.com/gateway',
      encryptionKeys: ring,
      bootstrapApiKey: 'chosen-by-grace-1906',
      misspelled: [],
    })
  })

  test('that cannot be used are named, each in a line, and no value is shown', async () => {
    const url = 'postgresql://gateway:secret@db.example.com/gateway'
    const given = {
      ...{ DATABASE_URL: url, DATABASE_URL_FILE: await fileWith(url) },
      DATABASE_READ_URL_FILE: '/nowhere/read-url',
      BOOTSTRAP_API_KEY_FILE: tmpdir(),
      ENCRYPTION_KEYS_FILE: await fileWith('\n'),
    }
    expect(() => readConfig(given)).toThrow(
      [
        'DATABASE_URL_FILE cannot be combined with DATABASE_URL',
        "DATABASE_READ_URL_FILE cannot be read: ENOENT: no such file or directory, open '/nowhere/read-url'",
        'BOOTSTRAP_API_KEY_FILE cannot be read: EISDIR: illegal operation on a directory, read',
        'ENCRYPTION_KEYS_FILE must be the path of a file that is not empty',
      ].join('\n'),
    )
  })

  test('are checked like other values', async () => {
    const file = await fileWith('mysql://root:secret@db.example.com/gateway')
    expect(() => readConfig({ DATABASE_URL_FILE: file })).toThrow(
      'DATABASE_URL must have the form postgresql://user:password@host:port/database',
    )
  })

  test('of other settings do not exist, and a misspelled one is reported', () => {
    expect(readConfig({ DATABASE_URI_FILE: '/run/secrets/url' }).misspelled).toEqual([
      { variable: 'DATABASE_URI_FILE', similarTo: 'DATABASE_URL_FILE' },
    ])
  })
})

describe('settings', () => {
  test('have defaults', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      metrics: { port: 9464, isRequired: false },
      databaseUrl: undefined,
      databaseStatements: 'named',
      databases: [],
      newEnvironmentsDatabase: 'main',
      dataDirectory: '.data',
      bootstrapApiKey: undefined,
      encryptionKeys: undefined,
      corsOrigins: [],
      rates: largestPlan,
      streamLimits: defaultStreamLimits,
      retention: {},
      keepsAddressHashes: false,
      trustedProxies: 0,
      allowPrivateAddresses: false,
      deniedAddresses: [],
      shutdownDelay: 0,
      logLevel: 'info',
      introspection: true,
      graphiql: true,
      dashboard: true,
      trustedDocumentsOnly: false,
      misspelled: [],
    })
  })

  test('are read from the environment, where an empty value counts as not set', () => {
    const encryptionKeys = newKeyRing()
    expect(
      readConfig({
        HOST: '::1',
        PORT: '0',
        METRICS_PORT: '9100',
        DATABASE_URL: 'postgresql://gateway@db.example.com/gateway?sslmode=require',
        DATABASE_DIRECT_URL: 'postgresql://gateway@direct.example.com/gateway',
        DATABASE_READ_URL: 'postgresql://gateway@replica.example.com/gateway',
        DATABASE_STATEMENTS: 'unnamed',
        DATA_DIR: '',
        ENCRYPTION_KEYS: encryptionKeys,
        CORS_ORIGINS: 'https://dashboard.example.com, http://localhost:5173',
        RATE_LIMIT: 'trigger=100',
        MAX_STREAMS: 'process=500',
        MESSAGE_CONCURRENCY: '100',
        RETENTION_DAYS: '30',
        FEED_RETENTION_DAYS: 'off',
        KEEP_SUPPRESSED_HASHES: 'on',
        TRUSTED_PROXIES: '2',
        ALLOW_PRIVATE_ADDRESSES: 'on',
        DENIED_ADDRESSES: '203.0.113.0/24, 2001:db8::1',
        LOG_LEVEL: 'debug',
        INTROSPECTION: 'off',
        GRAPHIQL: 'false',
        DASHBOARD: 'off',
        TRUSTED_DOCUMENTS: 'documents.json',
        TRUSTED_DOCUMENTS_ONLY: 'on',
      }),
    ).toMatchObject({
      host: '::1',
      port: 0,
      metrics: { port: 9100, isRequired: true },
      databaseUrl: 'postgresql://gateway@db.example.com/gateway?sslmode=require',
      databaseDirectUrl: 'postgresql://gateway@direct.example.com/gateway',
      databaseReadUrl: 'postgresql://gateway@replica.example.com/gateway',
      databaseStatements: 'unnamed',
      dataDirectory: '.data',
      encryptionKeys,
      corsOrigins: ['https://dashboard.example.com', 'http://localhost:5173'],
      rates: { ...largestPlan, trigger: 100 },
      streamLimits: { environment: 1_000, process: 500 },
      messageConcurrency: 100,
      retention: { events: 30, feed: 'off' },
      keepsAddressHashes: true,
      trustedProxies: 2,
      allowPrivateAddresses: true,
      deniedAddresses: ['203.0.113.0/24', '2001:db8::1'],
      logLevel: 'debug',
      introspection: false,
      graphiql: false,
      dashboard: false,
      trustedDocuments: 'documents.json',
      trustedDocumentsOnly: true,
    })
  })

  test('serve neither the dashboard nor GraphiQL if only trusted documents are accepted', () => {
    const given = { TRUSTED_DOCUMENTS: 'documents.json', TRUSTED_DOCUMENTS_ONLY: 'on', DASHBOARD: 'on' }
    expect(readConfig(given)).toMatchObject({ dashboard: false, graphiql: false })
  })

  test.each([
    ['RATE_LIMITS', 'RATE_LIMIT'],
    ['rate_limit', 'RATE_LIMIT'],
    ['RATE-LIMIT', 'RATE_LIMIT'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['GRAPHQL', 'GRAPHIQL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['ALLOW_PRIVATE_ADRESS', 'ALLOW_PRIVATE_ADDRESSES'],
    ['port', 'PORT'],
  ])('that are not read are reported if they are similar to one that is: %s', (variable, similarTo) => {
    expect(readConfig({ [variable]: 'on', DATA_DIR: '.data' }).misspelled).toEqual([{ variable, similarTo }])
  })

  test('of the system and of other programs are not reported', () => {
    const others = [
      ...['PATH', 'HOME', 'HOSTNAME', 'HOSTTYPE', 'USER', 'SHELL', 'PWD', 'LANG', 'TERM', 'TMPDIR', 'LOGNAME', 'MAIL'],
      ...['NODE_ENV', 'NODE_OPTIONS', 'npm_config_loglevel', 'npm_lifecycle_event', 'INIT_CWD', 'TEST', 'VITEST', 'CI'],
      ...['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'POSTGRES_DB', 'TEST_DATABASE_URL', 'SHADOW_DATABASE_URL'],
      ...['US_BASE_URL', 'API_BASE_URL', 'XDG_DATA_DIRS', 'CACHE_DIR', 'KUBERNETES_PORT', 'SSH_TTY', 'HTTP_PROXY'],
    ]
    expect(readConfig(Object.fromEntries(others.map((name) => [name, 'x']))).misspelled).toEqual([])
  })

  const port = 'PORT must be a port number from 0 to 65535'
  const denied =
    'DENIED_ADDRESSES must be a comma-separated list of IP addresses and CIDR ranges such as 203.0.113.0/24'
  const origins = 'CORS_ORIGINS must be a comma-separated list of origins such as https://dashboard.example.com'
  const rates =
    'RATE_LIMIT must be off, or calls per second from 1 to 999999 such as trigger=60,configuration=20,global=30; omitted categories keep their defaults'
  const streams =
    'MAX_STREAMS must be numbers of streams from 1 to 999999 such as environment=1000,process=10000; omitted names keep their defaults'
  const proxies = 'TRUSTED_PROXIES must be the number of proxies in front of the gateway, from 0 to 9'
  const hosts = 'DATABASE_URL must name one host, such as an address that always leads to the primary'
  const url = 'DATABASE_URL must have the form postgresql://user:password@host:port/database'

  test('can turn the metrics off', () => {
    expect(readConfig({ METRICS_PORT: 'off' }).metrics).toBe('off')
  })

  test.each([
    ['the embedded database has no second process', {}, 0],
    ['a load balancer needs time to notice', { DATABASE_URL: 'postgresql://db.example.com/gateway' }, 5],
    ['a setting wins', { DATABASE_URL: 'postgresql://db.example.com/gateway', SHUTDOWN_DELAY: '0' }, 0],
    ['a setting wins', { SHUTDOWN_DELAY: '30' }, 30],
  ])('have a shutdown delay: %s', (_why, given, seconds) => {
    expect(readConfig(given).shutdownDelay).toBe(seconds)
  })

  const named =
    'DATABASES must have the form name=postgresql://user:password@host:port/database, one for each line or space'
  const metrics = 'METRICS_PORT must be a port number from 0 to 65535, or off'

  test.each([
    ['METRICS_PORT', '65536', metrics],
    ['METRICS_PORT', 'on', metrics],
    ['PORT', '65536', port],
    ['PORT', '-1', port],
    ['PORT', '3000.5', port],
    ['PORT', '0x10', port],
    ['PORT', ' ', port],
    ['DATABASE_URL', 'mysql://root@localhost/gateway', url],
    ['DATABASE_URL', 'localhost:5432', url],
    ['DATABASE_URL', 'postgresql://gateway:a,b@one.example.com,two.example.com/gateway', hosts],
    [
      'DATABASE_READ_URL',
      'postgresql://one.example.com:5432,two.example.com:5432/gateway',
      hosts.replace('URL', 'READ_URL'),
    ],
    ['DATABASES', 'postgresql://db.example.com/gateway', named],
    ['DATABASES', 'eu=mysql://db.example.com/gateway', named],
    ['DATABASES', 'main=postgresql://db.example.com/gateway', 'DATABASES must not have the name main'],
    [
      'DATABASES',
      'eu=postgresql://one.example.com/gateway eu=postgresql://two.example.com/gateway',
      'DATABASES must have each name once',
    ],
    ['NEW_ENVIRONMENTS_DATABASE', 'eu', 'NEW_ENVIRONMENTS_DATABASE must be main or a name of DATABASES'],
    ['DATABASE_DIRECT_URL', 'postgresql://db.example.com/gateway', 'DATABASE_DIRECT_URL requires DATABASE_URL'],
    ['DATABASE_READ_URL', 'postgresql://db.example.com/gateway', 'DATABASE_READ_URL requires DATABASE_URL'],
    ['SHUTDOWN_DELAY', '5s', 'SHUTDOWN_DELAY must be a whole number of seconds from 0 to 999'],
    ['SHUTDOWN_DELAY', '1000', 'SHUTDOWN_DELAY must be a whole number of seconds from 0 to 999'],
    ['DATABASE_STATEMENTS', 'some', 'DATABASE_STATEMENTS must be named or unnamed'],
    ['BOOTSTRAP_API_KEY', 'short', 'BOOTSTRAP_API_KEY must be 16 to 200 printable characters without spaces'],
    [
      'BOOTSTRAP_API_KEY',
      'with a space in it',
      'BOOTSTRAP_API_KEY must be 16 to 200 printable characters without spaces',
    ],
    [
      'ENCRYPTION_KEYS',
      'k1:c2hvcnQ=',
      'ENCRYPTION_KEYS is not a valid key ring: key "k1" must have 32 bytes, and has 5',
    ],
    ['CORS_ORIGINS', '*', origins],
    ['CORS_ORIGINS', 'https://dashboard.example.com/', origins],
    ['CORS_ORIGINS', 'https://dashboard.example.com,', origins],
    ['RATE_LIMIT', 'trigger=0', rates],
    ['RATE_LIMIT', 'other=1', rates],
    ['MAX_STREAMS', '100', streams],
    ['MESSAGE_CONCURRENCY', '0', 'MESSAGE_CONCURRENCY must be a whole number of messages from 1 to 999'],
    ['MAX_STREAMS', 'environment=0', streams],
    ['TRUSTED_PROXIES', '10', proxies],
    ['TRUSTED_PROXIES', '-1', proxies],
    ['TRUSTED_PROXIES', '10.0.0.1', proxies],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent'],
    ['ALLOW_PRIVATE_ADDRESSES', 'some', 'ALLOW_PRIVATE_ADDRESSES must be on or off'],
    ['DENIED_ADDRESSES', 'metadata.example.com', denied],
    ['DENIED_ADDRESSES', '10.0.0.0/33', denied],
    ['INTROSPECTION', 'maybe', 'INTROSPECTION must be on or off'],
    ['TRUSTED_DOCUMENTS_ONLY', 'on', 'TRUSTED_DOCUMENTS_ONLY requires TRUSTED_DOCUMENTS'],
    ['GRAPHIQL', '2', 'GRAPHIQL must be on or off'],
  ])('%s cannot be %j', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(new Error(message))
  })

  test('that are invalid are reported together, in one line each and without secret values', () => {
    const given = {
      PORT: 'http',
      DATABASE_URL: 'http://ada:analytical-engine@db.example.com',
      BOOTSTRAP_API_KEY: 'bad key of grace',
      ENCRYPTION_KEYS: 'c2VjcmV0LW9mLWthdGhlcmluZQ==',
    }
    expect(() => readConfig(given)).toThrow(
      new Error(
        [
          port,
          url,
          'BOOTSTRAP_API_KEY must be 16 to 200 printable characters without spaces',
          'ENCRYPTION_KEYS is not a valid key ring: a key must have the form <id>:<base64>, where the id has letters, digits, - and _',
        ].join('\n'),
      ),
    )
  })
})
