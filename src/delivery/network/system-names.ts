// What the system's own files say about host names: /etc/hosts, and the domains to search from resolv.conf.
import type { LookupAddress } from 'node:dns'
import { readFile, stat } from 'node:fs/promises'
import { isIP } from 'node:net'

const HOSTS = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'
const RESOLV_CONF = '/etc/resolv.conf'

/** As the C library has it. */
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

/** Which names to ask for, in turn, when a name has few dots. */
interface Search {
  readonly domains: readonly string[]
  /** A name with fewer dots is searched for in the domains first. */
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

/** A file that is read again after it was changed. A missing one is empty. */
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

  /** The addresses that the hosts file gives a name, or that `localhost` has. Undefined if a name server is to be asked. */
  async addressesOf(name: string): Promise<readonly LookupAddress[] | undefined> {
    const found = (await this.#hosts.read()).get(name)
    if (found !== undefined) return found
    if (name !== 'localhost' && !name.endsWith('.localhost')) return undefined
    return [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
  }

  /** The names to ask a name server for, in turn: a short name may be one in a domain that is searched. */
  async candidatesFor(name: string): Promise<readonly string[]> {
    if (name.endsWith('.')) return [name]
    const { domains, dots } = await this.#search.read()
    const searched = domains.map((domain) => `${name}.${domain}`)
    return name.split('.').length - 1 >= dots ? [name, ...searched] : [...searched, name]
  }
}
