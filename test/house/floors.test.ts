// Architecture rules: which file may import which, and what every file must have.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

/** Floors from bottom to top. A room, a folder or file of src, imports only itself and rooms on lower floors. */
const floors = [
  ['lib'],
  ['evaluation'],
  ['data'],
  ['domain'],
  ['engine'],
  ['http', 'delivery'],
  ['graphql', 'rest', 'cli', 'public'],
  ['settings'],
  ['app', 'config', 'metrics'],
  ['background'],
  ['shard'],
  ['gateway'],
  ['main', 'command-line'],
]

/** Rooms that run in browsers. They import nothing of the server, and the server nothing of them. */
const pages = ['dashboard', 'graphiql', 'inbox']

/** Modules that the pages of a tab share: GraphiQL uses the session of the dashboard, or opens one for both. */
const sharedSession = /^graphiql\/.+ -> dashboard\/session\/(open-)?session\.ts$/

/** Nouns from oldest to youngest, each with its files. A noun imports only older nouns and owns what relates it to them. */
const nouns = [
  [
    'environment',
    'brand',
    'sending',
    'api-key',
    'key-uses',
    'administration',
    'adoption',
    'environment-right',
    'environment-copy',
    'new-environment',
    'placement',
    'retention',
    'unsigned-session',
    'operator',
  ],
  ['dashboard-session'],
  ['context', 'unused-context'],
  [
    'subscriber',
    'subscriber-id',
    'missing-subscriber',
    'credential',
    'subscriber-credential',
    'online-lease',
    'connected-subscribers',
    'online-state',
  ],
  ['session', 'session-token'],
  [
    'integration',
    'integration-circuit',
    'inbound-webhook',
    'integration-rank',
    'integration-setting',
    'integration-setup',
    'rate-limit',
    'subscriber-channel',
    'used-integration',
  ],
  ['channel-connection', 'endpoint-connection'],
  ['channel-endpoint', 'endpoint', 'stored-endpoint'],
  ['address', 'address-key', 'suppressed', 'suppress', 'suppression'],
  ['provider', 'test-message'],
  ['topic'],
  ['category'],
  [
    'workflow',
    'workflow-step',
    'workflow-step-input',
    'link-target',
    'email-step',
    'workflow-check',
    'workflow-fields',
    'workflow-variables',
    'workflow-secrets',
    'workflow-suspension',
  ],
  [
    'preference',
    'channel-preference',
    'schedule',
    'preference-rule',
    'preference-sentence',
    'change-preference',
    'preference-change',
    'workflow-preference',
    'category-preference',
    'preference-bulk',
    'open-session',
  ],
  ['inbound-text', 'text-replies', 'erase-addresses', 'exported-addresses'],
  [
    'preference-link',
    'link-caller',
    'link-page',
    'follow-link',
    'preference-page',
    'missing-address',
    'unsubscribe-links',
  ],
  ['topic-subscription', 'subscription-preference', 'subscribe', 'own-subscription'],
  ['unsubscribe', 'delete-subscribers', 'delete-all'],
  [
    'triggered-workflow',
    'current-workflow',
    'workflow-snapshot',
    'event-status',
    'step-reason',
    'link-scope',
    'payload-check',
    'secret-payload',
    'recipient',
    'attachment',
    'attachment-input',
    'file-fields',
    'event-files',
    'trigger-files',
    'trigger',
    'trigger-draft',
    'trigger-input',
    'overrides',
    'override-notes',
    'trigger-trace',
    'trigger-traces',
    'unprocessed-trigger',
    'event',
    'event-list',
    'event-outcome',
    'event-outcome-list',
    'event-source',
  ],
  ['search'],
  [
    'run',
    'run-outcome',
    'run-end',
    'open-run',
    'step-run',
    'step-explanation',
    'run-erasure',
    'failure-cause',
    'repeatable-step',
    'repetition',
    'run-retry',
    'retry-run',
    'retried-version',
  ],
  [
    'target',
    'subscriber-target',
    'email-envelope',
    'email-source',
    'message-id',
    'delivery',
    'delivery-list',
    'delivery-attempt',
    'suppression-source',
    'preference-source',
    'delivery-route',
    'limited-delivery',
    'delivery-end',
    'overdue-delivery',
    'receipt',
    'delivery-receipt',
    'delivery-report',
    'report-effects',
    'reported-message',
  ],

  ['pause', 'current-pause', 'queue-contents', 'queued-jobs'],
  ['failure', 'retry-all', 'cancellation', 'cancel-all', 'cancel-run', 'cancel-runs', 'workflow-update'],
  ['recent-change', 'change-position', 'change-stream'],
  [
    'feed-filter',
    'feed-event',
    'feed-count',
    'filter-count',
    'notification',
    'notification-filter',
    'notification-mark',
    'notification-source',
    'event-notifications',
    'message',
    'message-list',
    'notification-content',
    'notification-owner',
    'notification-stream',
    'notification-view',
    'notification-state',
    'notification-action',
    'snooze',
    'example-rows',
  ],
  ['message-statistics', 'delivery-health', 'receipt-health'],
  ['webhook-subscription', 'webhook-secret', 'webhook-rotation', 'webhook-body', 'webhook-delivery', 'webhook-attempt'],
  ['run-changes'],
  ['sweep', 'secret-sweep', 'expired-rows'],
  ['copied-columns', 'plain-secret'],
  ['subscriber-export', 'erasure', 'person-search', 'listed-tables', 'replaced-tables'],
  ['preview'],
]

/**
 * The rooms of a floor from bottom to top. A room imports only rooms before it. `.` are the files that are in no room.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  data: [
    'statement',
    'driver',
    'embedded',
    'connection',
    'replica',
    'reading',
    'access',
    'queue',
    'channel',
    'attachment',
    'webhook',
    'suppression',
    'feed',
    '.',
    'online',
    'preference',
    'report',
    'monitoring',
    'secrets',
    'housekeeping',
    'erasure',
    'backup',
    'example',
  ],
  domain: [
    'channel',
    'resolver',
    'access',
    'outbox',
    'address',
    '.',
    'own',
    'workspace',
    'online',
    'feed',
    'preference',
    'suppression',
    'trigger',
    'link',
    'execution',
    'webhook',
    'erasure',
    'secrets',
  ],
  engine: ['decision', '.', 'erasure', 'housekeeping', 'example'],
}

/** Rooms that nouns build on. None of their files is a noun's. */
const groundRooms = [
  'data/statement',
  'data/driver',
  'data/embedded',
  'data/connection',
  'data/replica',
  'data/reading',
  'data/secrets',
  'data/backup',
  'data/webhook',
  'domain/channel',
  'domain/resolver',
  'domain/outbox',
]

/** Files next to nouns on which the nouns build, by floor. They have no age, and import no noun of their floor. */
const ground: Readonly<Record<string, readonly string[]>> = {
  data: [
    'caller',
    'circuit',
    'delivery-route',
    'environment-deletion',
    'finished-task',
    'held-job',
    'idempotency-keys',
    'job',
    'job-taking',
    'job-turns',
    'lock',
    'push-ticket',
    'open-circuit',
    'queue-state',
    'rate-limit-buckets',
    'send-rate',
    'task-lease',
    'webhook-queue',
  ],
  domain: [],
  graphql: ['channel', 'channel-default'],
  'graphql/access': [],
  'graphql/channel': [],
  'graphql/feed': [],
  'graphql/trigger': [],
  'graphql/webhook': [],
  'rest/routes': [],
}

/** Files above the nouns, which may import all of them. */
const assemblies = [
  'domain/secrets/backup.ts',
  'domain/access/bootstrap.ts',
  'domain/secrets/encryption.ts',
  'domain/secrets/re-encryption.ts',
  'rest/routes/table.ts',
]

/** Allowed exceptions: the REST document of a subscriber includes the integrations of its channels. */
const youngerByDesign = ['rest/routes/subscriber.ts -> rest/routes/subscriber-channel.ts']

/** The file that sends statements. */
const statementFile = 'data/statement/statement.ts'

/** Files that read the clock, because the time is not that of rows: all others get the current time from their scope. */
const readsOfTheClock: Readonly<Record<string, string>> = {
  'main.ts': 'the clock that scopes are given',
  'data/connection/clock.ts': 'the clock of the database follows that of this machine',
  'lib/new-id.ts': 'the time in an id, which only sorts ids',
  'cli/diagnosis/findings.ts': 'compares the clock of this machine with that of the database',
  'evaluation/thread.ts': 'time that another thread compares',
  'evaluation/threads.ts': 'time that another thread compares',
  'delivery/provider-kit/access-token.ts': 'the lifetime of a token of a provider',
  'delivery/provider-kit/aws.ts': 'the time of a signature, which is valid for some minutes',
  'lib/cipher.ts': 'the default id of a new key',
}

/** Transport packages, which only http, graphql, rest and the floors above them may import. */
const transports = /^(graphql|graphql-.+|@pothos\/.+|hono|@hono\/.+|ws)$/

const root = path.resolve(import.meta.dirname, '../..')
const source = path.join(root, 'src')

/** The maximum number of files in a folder, without subfolders. */
const MAX_FILES = 35

interface File {
  /** Path under src, such as `domain/topic.ts`. */
  readonly name: string
  readonly text: string
  /** Imported files, as paths under src. */
  readonly imports: readonly string[]
  readonly packages: readonly string[]
}

function read(name: string): File {
  const text = readFileSync(path.join(source, name), 'utf8')
  const specifiers = ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName)
  const isLocal = (specifier: string) => specifier.startsWith('.')
  return {
    name,
    text,
    imports: specifiers.filter(isLocal).map((specifier) => path.posix.join(path.posix.dirname(name), specifier)),
    packages: specifiers.filter((specifier) => !isLocal(specifier)),
  }
}

const isGenerated = (name: string) => name.startsWith('data/prisma/') || name.endsWith('.d.ts')

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter((name) => /\.tsx?$/.test(name) && !isGenerated(name))
  .map(read)

const roomOf = (name: string) => name.replace(/(\/|\.tsx?$).*/, '')
const isOfPage = ({ name }: Pick<File, 'name'>) => pages.includes(roomOf(name))
const floorOf = (name: string) => floors.findIndex((rooms) => rooms.includes(roomOf(name)))

const stemOf = (name: string) => path.posix.basename(name, '.ts')

/** Returns the folder that has nouns and contains the file, itself or in one of its rooms. */
function nounFolderOf(name: string): string | undefined {
  const folder = path.posix.dirname(name)
  return Object.keys(ground).find((each) => folder === each || (each in rooms && folder.startsWith(`${each}/`)))
}

function isGround(name: string): boolean {
  const folder = nounFolderOf(name)
  if (folder === undefined) return false
  return groundRooms.includes(path.posix.dirname(name)) || ground[folder]?.includes(stemOf(name)) === true
}

/** Returns the age of a noun's file, or -1 for any other file. */
function ageOf(name: string): number {
  if (nounFolderOf(name) === undefined || isGround(name)) return -1
  return nouns.findIndex((stems) => stems.includes(stemOf(name)))
}

/** Returns the position of the file's room in the order of its floor, or -1 if the floor has no such room. */
function roomOrderOf(name: string): number {
  const floor = roomOf(name)
  return rooms[floor]?.indexOf(path.posix.relative(floor, path.posix.dirname(name)) || '.') ?? -1
}

/** Returns every import for which `isWrong` is true, as `importer -> imported`. */
const pairs = (isWrong: (file: File, imported: string) => boolean) =>
  files.flatMap((file) => file.imports.filter((name) => isWrong(file, name)).map((name) => `${file.name} -> ${name}`))

/** Returns the first cycle of a graph, from a node back to itself. */
function cycleOf(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>()
  const visit = (name: string, way: readonly string[]): string[] => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name]
    if (done.has(name)) return []
    for (const next of graph.get(name) ?? []) {
      const found = visit(next, [...way, name])
      if (found.length > 0) return found
    }
    done.add(name)
    return []
  }
  for (const name of graph.keys()) {
    const found = visit(name, [])
    if (found.length > 0) return found
  }
  return []
}

/** Returns the folders that each folder imports. */
function importsOfFolders(): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { name, imports } of files) {
    const folder = path.posix.dirname(name)
    const imported = folders.get(folder) ?? new Set()
    for (const other of imports.map((each) => path.posix.dirname(each))) if (other !== folder) imported.add(other)
    folders.set(folder, imported)
  }
  return folders
}

/** Returns the folders with too many files of their own. */
function fullFolders(): string[] {
  const counts = new Map<string, number>()
  for (const top of ['src', 'test', 'bench', 'docs', '.config']) {
    for (const entry of readdirSync(path.join(root, top), { recursive: true, withFileTypes: true })) {
      const folder = path.relative(root, entry.parentPath).replaceAll(path.sep, '/')
      if (entry.isFile() && !folder.startsWith('src/data/prisma')) counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
  }
  return [...counts].filter(([, count]) => count > MAX_FILES).map(([folder, count]) => `${folder}: ${count} files`)
}

function exportsOf({ name, text }: File): string[] {
  const isExported = (node: ts.Node) =>
    ts.canHaveModifiers(node) &&
    ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
  const boundBy = (binding: ts.BindingName): string[] =>
    ts.isIdentifier(binding)
      ? [binding.text]
      : binding.elements.flatMap((element) => (ts.isBindingElement(element) ? boundBy(element.name) : []))
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const clause = statement.exportClause
      return clause && ts.isNamedExports(clause) ? clause.elements.map((element) => element.name.text) : ['*']
    }
    if (!isExported(statement)) return []
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap((declaration) => boundBy(declaration.name))
    }
    const declared = ts.isDeclarationStatement(statement) ? statement.name?.text : undefined
    return [declared ?? '*']
  })
}

/** Names that several files may export, because they have the same meaning. */
const sharedNames: Readonly<Record<string, string>> = {
  IncidentAction: 'what a message does with an incident, and its enum in the graph',
  FailureCause: 'the cause of a failed message, and its enum in the graph',
  EmailHeader: 'a header of an email, and its object in the graph',
  Provider: 'the function that calls a provider, and the provider in the graph',
  errorResponse: 'the response to a thrown value, at either door',
}

/** Returns the names that several files export, except those of one noun on different floors. */
function ambiguousNames(): string[] {
  const byName = new Map<string, string[]>()
  // Pages are programs of their own, and each page of a router exports its `Component`.
  for (const file of files.filter((each) => !isOfPage(each))) {
    for (const name of exportsOf(file)) byName.set(name, [...(byName.get(name) ?? []), file.name])
  }
  const ages = (names: readonly string[]) => new Set(names.map(ageOf))
  const isOneNoun = (names: readonly string[]) => ages(names).size === 1 && !ages(names).has(-1)
  const areApart = (names: readonly string[]) => new Set(names.map(roomOf)).size === names.length
  return [...byName]
    .filter(([name, where]) => where.length > 1 && !(name in sharedNames) && !(isOneNoun(where) && areApart(where)))
    .map(([name, where]) => `${name}: ${where.join(', ')}`)
}

const namesOf = (isWrong: (file: File) => boolean) => files.filter(isWrong).map(({ name }) => name)

describe('the floors', () => {
  test('include every file', () => {
    expect(namesOf((file) => floorOf(file.name) === -1 && !isOfPage(file))).toEqual([])
  })

  test('import only lower floors', () => {
    const isUpwards = ({ name }: File, imported: string) =>
      roomOf(name) !== roomOf(imported) && !isOfPage({ name }) && floorOf(imported) >= floorOf(name)
    expect(pairs(isUpwards)).toEqual([])
  })

  test('neither import the pages nor are imported by them', () => {
    const crosses = (file: File, imported: string) =>
      roomOf(file.name) !== roomOf(imported) && (isOfPage(file) || isOfPage({ name: imported }))
    expect(pairs(crosses).filter((pair) => !sharedSession.test(pair))).toEqual([])
  })

  test('have no import cycles', () => {
    expect(cycleOf(new Map(files.map(({ name, imports }) => [name, imports])))).toEqual([])
  })

  test('every file in a folder of nouns is listed as a noun or as ground', () => {
    const isUnknown = ({ name }: File) =>
      nounFolderOf(name) !== undefined && !assemblies.includes(name) && ageOf(name) === -1 && !isGround(name)
    expect(namesOf(isUnknown)).toEqual([])
  })

  test('have no file outside the listed rooms', () => {
    expect(namesOf(({ name }) => roomOf(name) in rooms && roomOrderOf(name) === -1)).toEqual([])
  })

  test('import only earlier rooms of their own floor', () => {
    const isLater = ({ name }: File, imported: string) =>
      roomOf(name) === roomOf(imported) && roomOrderOf(imported) > roomOrderOf(name)
    expect(pairs(isLater)).toEqual([])
  })

  test('no noun imports a younger noun, with one exception', () => {
    const isYounger = ({ name }: File, imported: string) => ageOf(name) !== -1 && ageOf(imported) > ageOf(name)
    expect(pairs(isYounger)).toEqual(youngerByDesign)
  })

  test('the executor of operations imports nothing but graphql: it could be published', () => {
    const isOfExecutor = (name: string) => name.startsWith('graphql/execution/')
    const reachesOut = ({ name, imports, packages }: File) =>
      isOfExecutor(name) && !(imports.every(isOfExecutor) && packages.every((each) => /^graphql(\/|$)/.test(each)))
    expect(files.filter(({ name }) => isOfExecutor(name))).not.toEqual([])
    expect(namesOf(reachesOut)).toEqual([])
  })

  test('only the code around resolvers opens the scope of a door', () => {
    const opens = ({ text }: File) => text.includes('DoorScope.open(')
    expect(namesOf(opens).sort()).toEqual([
      'domain/resolver/reading.ts',
      'domain/resolver/resolver.ts',
      'domain/session.ts',
      'domain/stored-endpoint.ts',
      'http/idempotency.ts',
    ])
  })

  test('no door for requests has an open scope', () => {
    const holds = ({ name, text }: File) =>
      ['graphql', 'rest', 'public'].includes(roomOf(name)) &&
      /\b(createScope|createEnvironmentScope|EnvironmentScope|Scope)\b/.test(text)
    expect(namesOf(holds)).toEqual([])
  })

  test('only the functions of the schema that call a resolver name it', () => {
    const isOutside = ({ name }: File, imported: string) =>
      imported === 'graphql/schema/calls.ts' && path.posix.dirname(name) !== 'graphql/schema'
    expect(pairs(isOutside)).toEqual([])
  })

  test('no ground file imports a noun of its folder', () => {
    const isNoun = ({ name }: File, imported: string) =>
      isGround(name) && nounFolderOf(name) === nounFolderOf(imported) && ageOf(imported) !== -1
    expect(pairs(isNoun)).toEqual([])
  })

  test('the floors under the doors import no transport package', () => {
    const isUnderTheDoors = ({ name }: File) =>
      ['lib', 'evaluation', 'data', 'domain', 'engine', 'delivery'].includes(roomOf(name))
    expect(
      namesOf((file) => isUnderTheDoors(file) && file.packages.some((specifier) => transports.test(specifier))),
    ).toEqual([])
  })

  test('only data contains raw SQL', () => {
    const statements = /\$(queryRaw|executeRaw)|\bPrisma\.(sql|raw|join|empty)\b|\.query\(\s*['"`]/
    const sender = /import \{[^}]*\b(sql|sqlCount)\b[^}]*\} from '[^']*data\/statement\/statement\.ts'/
    const isRaw = ({ name, text }: File) => roomOf(name) !== 'data' && (statements.test(text) || sender.test(text))
    expect(namesOf((file) => !isOfPage(file) && isRaw(file))).toEqual([])
  })

  test('every statement is sent by one file, with a label that begins with the name of its file', () => {
    const sends = ({ name, text }: File) => name !== statementFile && /\$(queryRaw|executeRaw)\b/.test(text)
    expect(namesOf(sends)).toEqual([])
    const labels = files
      .filter(({ imports }) => imports.includes(statementFile))
      .flatMap(({ name, text }) =>
        [...text.matchAll(/\bdb,\s*'([^']*)'/g)].map(([, label = '']) => ({
          file: path.posix.basename(name, '.ts'),
          label,
        })),
      )
    expect(labels.length).toBeGreaterThan(100)
    expect(labels.filter(({ file, label }) => !label.startsWith(`${file}.`))).toEqual([])
  })

  test('what is sent over a connection without that file has such a label too', () => {
    // Transaction control, settings of the session, and LISTEN need none. COPY has one in its statement.
    const known =
      /^((\{[^}]*)?labelled\(|['`](BEGIN|COMMIT|ROLLBACK|DEALLOCATE)|PLAN_FOR_|TEXT_FORMAT|EMPTY_QUERY|listenTo|channels\.map\(listenTo\)|new Copy\()/
    const others = files.filter(({ name }) => name.startsWith('data/') && name !== statementFile)
    const sent = others.flatMap(({ name, text }) =>
      [...text.matchAll(/\.query(?:<[^()]*>)?\(\s*([^]{120})/g)].map(([, argument = '']) => ({ name, argument })),
    )
    expect(sent.length).toBeGreaterThan(40)
    expect(sent.filter(({ argument }) => !known.test(argument))).toEqual([])
    const labels = others.flatMap(({ name, text }) =>
      [...text.matchAll(/\blabelled\(\s*'([^']*)'/g)].map(([, label = '']) => ({
        file: path.posix.basename(name, '.ts'),
        label,
      })),
    )
    expect(labels.filter(({ file, label }) => !label.startsWith(`${file}.`))).toEqual([])
  })
})

describe('every exported name', () => {
  test('has one meaning', () => {
    expect(ambiguousNames()).toEqual([])
  })
})

describe('folders', () => {
  test('have at most 35 files of their own', () => {
    expect(fullFolders()).toEqual([])
  })

  test('do not import each other in a circle', () => {
    expect(cycleOf(importsOfFolders())).toEqual([])
  })
})

describe('every file', () => {
  test('starts with a comment that says what it is for', () => {
    expect(namesOf(({ text }) => !/^(#!.*\n)?\/\/ \S.{10,}/.test(text))).toEqual([])
  })

  test('has at most 300 lines', () => {
    expect(namesOf(({ text }) => text.trimEnd().split('\n').length > 300)).toEqual([])
  })

  test('has a specific name in kebab case', () => {
    const isBad = ({ name }: File) => {
      const base = path.posix.basename(name).replace(/\.tsx?$/, '')
      return !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base) || /^(index|utils?|helpers?|common|misc)$/.test(base)
    }
    expect(namesOf(isBad)).toEqual([])
  })

  test('leaves process.env to config.ts', () => {
    const readsEnvironment = ({ text, packages }: File) =>
      packages.some((specifier) => /^(node:)?process$/.test(specifier)) ||
      /\bprocess\s*(\?\.|\.|\[['"`])\s*env\b|\benv\b[^}]*\}\s*=\s*(globalThis\.)?process\b/.test(text)
    expect(namesOf((file) => file.name !== 'config.ts' && readsEnvironment(file))).toEqual([])
  })

  test('gets the current time from its scope', () => {
    const readsTheClock = ({ text }: File) => /\bDate\.now\b|\bnew Date\b(?!\s*\(\s*[^)\s])/.test(text)
    expect(namesOf((file) => !isOfPage(file) && readsTheClock(file)).sort()).toEqual(
      Object.keys(readsOfTheClock).sort(),
    )
  })
})
