// Host names from the system's own files: /etc/hosts, and the search domains of resolv.conf.
import type { LookupAddress } from 'node:dns'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const RESOLV_CONF = '/etc/resolv.conf'

/** The default of the C library. */
const MAX_SEARCHED = 6

/** The words of each line, without comments. */
const linesOf = (text: string) =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .split(/\s+/)
      .filter(Boolean),
  )

function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>()
  for (const [address = '', ...names] of linesOf(text)) {
    const family = isIP(address)
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), { address, family }])
    }
  }
  return hosts
}

/** The search settings of resolv.conf. */
interface Search {
  readonly domains: readonly string[]
  /** A name with fewer dots is tried in the search domains first. */
  readonly dots: number
}

function parseSearch(text: string): Search {
  let search: Search = { domains: [], dots: 1 }
  for (const [keyword, ...words] of linesOf(text)) {
    if (keyword === 'search' || keyword === 'domain') search = { ...search, domains: words.slice(0, MAX_SEARCHED) }
    if (keyword !== 'options') continue
    const dots = words.flatMap((word) => /^ndots:(\d+)$/.exec(word)?.[1] ?? []).at(-1)
    if (dots !== undefined) search = { ...search, dots: Number(dots) }
  }
  return search
}

/** A file that is read again after it changed. A missing file counts as empty. */
class ParsedFile<Content> {
  readonly #path: string
  readonly #parse: (text: string) => Content
  #known: { readonly changedAt: number; readonly content: Content } | undefined

  constructor(path: string, parse: (text: string) => Content) {
    this.#path = path
    this.#parse = parse
  }

  async read(): Promise<Content> {
    try {
      const { mtimeMs: changedAt } = await stat(this.#path)
      if (this.#known?.changedAt !== changedAt) {
        this.#known = { changedAt, content: this.#parse(await readFile(this.#path, 'utf8')) }
      }
      return this.#known.content
    } catch {
      // Windows has no resolv.conf, and some containers have no hosts file.
      return this.#parse('')
    }
  }
}

/** The files to read. */
export interface SystemFiles {
  readonly hosts: string
  readonly resolvConf: string
}

export class SystemNames {
  readonly #hosts: ParsedFile<ReadonlyMap<string, readonly LookupAddress[]>>
  readonly #search: ParsedFile<Search>

  constructor({ hosts, resolvConf }: SystemFiles = { hosts: HOSTS, resolvConf: RESOLV_CONF }) {
    this.#hosts = new ParsedFile(hosts, parseHosts)
    this.#search = new ParsedFile(resolvConf, parseSearch)
  }

  /** The addresses of a name in the hosts file, or of `localhost`. Undefined if a name server must be queried. */
  async addressesOf(name: string): Promise<readonly LookupAddress[] | undefined> {
    const found = (await this.#hosts.read()).get(name)
    if (found !== undefined) return found
    if (name !== 'localhost' && !name.endsWith('.localhost')) return undefined
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
  }

  /** The names to query, in order: a short name may belong to a search domain. */
  async candidatesFor(name: string): Promise<readonly string[]> {
    if (name.endsWith('.')) return [name]
    const { domains, dots } = await this.#search.read()
    const searched = domains.map((domain) => `${name}.${domain}`)
    return name.split('.').length - 1 >= dots ? [name, ...searched] : [...searched, name]
  }
}
