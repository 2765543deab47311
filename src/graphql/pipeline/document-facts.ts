// Facts about the operations of a parsed document. Each is computed once, and kept for as long as the document is
// cached.
import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  type FragmentDefinitionNode,
  getOperationAST,
  type GraphQLInputType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  type OperationTypeNode,
  type SelectionSetNode,
  typeFromAST,
  type VariableDefinitionNode,
  visit,
} from 'graphql'
import type { Rate } from '../../domain/resolver/resolver.ts'
import { ordinaryRate } from '../../http/rate-limit.ts'
import { sizeArguments } from '../schema/complexity.ts'
import { type AnyResolver, resolverOf } from '../schema/resolver-extension.ts'
import { schema } from '../graph/schema.ts'

/** The document of a request and the operation to execute. */
export type Operation = Pick<ExecutionArgs, 'document' | 'operationName'>

/** Maximum costs kept per operation, and the maximum length of their keys. See `OPERATION_SIZE`. */
const MAX_COSTS = 10
const MAX_SIZES_LENGTH = 100

/** A variable that an operation declares. */
export interface VariableFacts {
  readonly name: string
  readonly node: VariableDefinitionNode
  readonly type: GraphQLInputType
}

/** A root field of an operation. */
interface RootField {
  readonly name: string
  readonly resolver: AnyResolver | undefined
}

/** One operation of a document. */
class OperationFacts {
  readonly type: OperationTypeNode
  readonly variables: readonly VariableFacts[]
  /** The rate of each root field. Introspection and `node` count as ordinary calls. */
  readonly rates: readonly [Rate, ...Rate[]]
  /** True if a root field returns a secret, such as a new API key. */
  readonly secret: boolean
  /** The resolvers with something to read before all fields. */
  readonly first: readonly AnyResolver[]
  /** The name of the root field, or `multiple`: one of a closed list. */
  readonly name: string
  /** The root fields by response name, with their resolvers. Introspection and `node` have none. */
  readonly roots: readonly RootField[]
  readonly #sizeVariables: ReadonlySet<string>
  readonly #costs = new Map<string, number>()

  constructor(document: DocumentNode, operation: OperationDefinitionNode) {
    this.type = operation.operation
    this.variables = variablesOf(operation)
    const fields = rootFieldsOf(document, operation)
    const resolvers = resolversOf(operation, fields)
    this.rates = ratesOf(resolvers)
    this.secret = resolvers.some((resolver) => resolver?.definition.secret === true)
    this.first = resolvers.filter((resolver) => resolver !== undefined).filter(({ definition }) => definition.readFirst)
    this.name = nameOf(fields)
    this.roots = fields.map((name, index) => ({ name, resolver: resolvers[index] }))
    this.#sizeVariables = sizeVariablesOf(document)
  }

  /**
   * Returns the cost, which depends on the page sizes and on which variables are given.
   *
   * @param compute is called if the cost is not known. If it throws, nothing is kept.
   */
  costOf(values: ExecutionArgs['variableValues'], compute: () => number): number {
    const sizes = this.variables.map(({ name }) => this.#sizeOf(name, values?.[name])).join()
    const known = this.#costs.get(sizes)
    if (known !== undefined) return known
    const cost = compute()
    if (sizes.length <= MAX_SIZES_LENGTH && this.#costs.size < MAX_COSTS) this.#costs.set(sizes, cost)
    return cost
  }

  #sizeOf(name: string, value: unknown): string {
    if (value === undefined || value === null) return String(value)
    if (!this.#sizeVariables.has(name)) return ''
    if (Array.isArray(value)) return `[${value.length}]`
    return typeof value === 'number' ? String(value) : typeof value
  }
}

const facts = new WeakMap<OperationDefinitionNode, OperationFacts>()

/** Returns the facts of an operation in a valid document, or undefined if there is no such operation. */
export function factsOf({ document, operationName }: Operation): OperationFacts | undefined {
  const operation = getOperationAST(document, operationName)
  if (!operation) return undefined
  const known = facts.get(operation)
  if (known !== undefined) return known
  const found = new OperationFacts(document, operation)
  facts.set(operation, found)
  return found
}

function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode): readonly VariableFacts[] {
  return variableDefinitions.flatMap((node) => {
    const type = typeFromAST(schema, node.type)
    // Validation rejects other types.
    return isInputType(type) ? [{ name: node.variable.name.value, node, type }] : []
  })
}

/** The names of the variables that set the size of a list. */
function sizeVariablesOf(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    Argument({ name, value }) {
      if (sizeArguments.has(name.value) && value.kind === Kind.VARIABLE) names.add(value.name.value)
    },
  })
  return names
}

/**
 * Collects the root fields of a selection by response name, including those in fragments: fields that share a name are
 * executed once. Fields with `@skip` count too, because the variables are not known yet.
 *
 * @param fragments not visited yet. Each is removed on the first visit, so that nested fragments do not multiply.
 */
function gatherFields(
  { selections }: SelectionSetNode,
  fragments: Map<string, FragmentDefinitionNode>,
  fields = new Map<string, FieldNode>(),
): ReadonlyMap<string, FieldNode> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      fields.set((selection.alias ?? selection.name).value, selection)
    } else if (selection.kind === Kind.INLINE_FRAGMENT) {
      gatherFields(selection.selectionSet, fragments, fields)
    } else {
      const fragment = fragments.get(selection.name.value)
      fragments.delete(selection.name.value)
      if (fragment) gatherFields(fragment.selectionSet, fragments, fields)
    }
  }
  return fields
}

function rootFieldsOf({ definitions }: DocumentNode, { selectionSet }: OperationDefinitionNode): readonly string[] {
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  )
  return [...gatherFields(selectionSet, fragments).values()].map(({ name }) => name.value)
}

/** The resolver of each root field. Undefined for introspection and `node`. */
function resolversOf({ operation }: OperationDefinitionNode, fields: readonly string[]) {
  const known = schema.getRootType(operation)?.getFields() ?? {}
  return fields.map((name) => {
    const field = known[name]
    return field && resolverOf(field)
  })
}

function ratesOf(resolvers: ReturnType<typeof resolversOf>): [Rate, ...Rate[]] {
  const rates = resolvers.map((resolver) => resolver?.definition.rate ?? ordinaryRate)
  const [first = ordinaryRate, ...others] = rates
  return [first, ...others]
}

function nameOf(fields: readonly string[]): string {
  const [first = 'multiple', ...others] = new Set(fields)
  return others.length === 0 ? first : 'multiple'
}
