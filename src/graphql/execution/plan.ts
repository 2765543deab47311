// Plans of operations: data that would otherwise be computed for each execution. A document keeps the plans of its
// operations.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getArgumentValues,
  getNullableType,
  type GraphQLAbstractType,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  visit,
} from 'graphql'
// Not part of graphql-js's public API, but the fields must be exactly those that graphql executes.
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js'
import { getFieldDef } from 'graphql/execution/execute.js'

export type Values = Readonly<Record<string, unknown>>

/** A type, and the fields that the query selects of its values. */
export type PlannedType = { readonly isNullable: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly item: PlannedType }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType; readonly selection: Selection }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType; readonly selection: Selection }
)

/** A field at one position of a response. */
export interface PlannedField {
  /** Its key in the response. */
  readonly key: string
  readonly nodes: readonly FieldNode[]
  readonly parentType: GraphQLObjectType
  readonly definition: GraphQLField<unknown, unknown>
  readonly type: PlannedType
  /** The arguments. Undefined if they depend on variables. */
  readonly args: Values | undefined
  /** The field's number in the plan. */
  readonly index: number
}

type Collect = (type: GraphQLObjectType) => readonly PlannedField[]

/** The fields at one position, by object type. They are collected when the first object of a type is executed. */
export class Selection {
  readonly #collect: Collect
  readonly #byType = new Map<GraphQLObjectType, readonly PlannedField[]>()

  constructor(collect: Collect) {
    this.#collect = collect
  }

  fieldsOf(type: GraphQLObjectType): readonly PlannedField[] {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const fields = this.#collect(type)
    this.#byType.set(type, fields)
    return fields
  }
}

/** @param collect collects the fields that the query selects for an object type. */
function plannedType(type: GraphQLOutputType, collect: Collect): PlannedType {
  const isNullable = !isNonNullType(type)
  const nullable = getNullableType(type)
  if (isListType(nullable)) return { kind: 'list', isNullable, item: plannedType(nullable.ofType, collect) }
  if (isLeafType(nullable)) return { kind: 'leaf', isNullable, type: nullable }
  const selection = new Selection(collect)
  if (isAbstractType(nullable)) return { kind: 'abstract', isNullable, type: nullable, selection }
  return { kind: 'object', isNullable, type: nullable, selection }
}

const noArguments: Values = Object.freeze({})

function usesVariables(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(usesVariables)
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => usesVariables(field.value))
  return value.kind === Kind.VARIABLE
}

/** Returns the arguments of a field, or undefined if they depend on variables. */
function constantArguments(definition: GraphQLField<unknown, unknown>, node: FieldNode): Values | undefined {
  if (definition.args.length === 0) return noArguments
  if (node.arguments?.some(({ value }) => usesVariables(value)) === true) return undefined
  try {
    return getArgumentValues(definition, node)
  } catch {
    // The document was not validated. Each execution fails at this field.
    return undefined
  }
}

/** The plan of one operation, for one set of values of the variables that `@skip` and `@include` depend on. */
export class Plan {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  readonly root: Selection
  readonly #conditions: Values
  readonly #maxSize: number
  /** The number of fields so far. */
  #size = 0

  /** @param conditions the values of these variables. */
  constructor(
    schema: GraphQLSchema,
    { definitions, tokenCount = 0 }: DocumentNode,
    operation: OperationDefinitionNode,
    conditions: Values,
  ) {
    this.schema = schema
    this.#conditions = conditions
    this.#maxSize = tokenCount
    const fragments = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
    this.operation = operation
    this.fragments = Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment]))
    this.root = new Selection((type) =>
      this.#planned(type, collectFields(schema, this.fragments, conditions, type, operation.selectionSet)),
    )
  }

  isFor(schema: GraphQLSchema, conditions: Values): boolean {
    if (schema !== this.schema) return false
    return Object.entries(conditions).every(([name, value]) => value === this.#conditions[name])
  }

  #planned(
    parentType: GraphQLObjectType,
    collected: ReadonlyMap<string, readonly FieldNode[]>,
  ): readonly PlannedField[] {
    const { schema } = this
    const first = this.#size
    this.#size += collected.size
    // Otherwise, fragments that are spread often would let a short document use much memory.
    if (this.#size > this.#maxSize) kept.delete(this.operation)
    return Array.from(collected).flatMap(([key, nodes], place) => {
      const [node] = nodes
      const definition = node && getFieldDef(schema, parentType, node)
      // Validation rejects unknown fields.
      if (!definition) return []
      const collect: Collect = (type) =>
        this.#planned(type, collectSubfields(schema, this.fragments, this.#conditions, type, nodes))
      return [
        {
          key,
          nodes,
          parentType,
          definition,
          type: plannedType(definition.type, collect),
          args: constantArguments(definition, node),
          index: first + place,
        },
      ]
    })
  }
}

/** The latest plan of each operation, unless it is too large. */
const kept = new WeakMap<OperationDefinitionNode, Plan>()

const conditional: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name])

const conditions = new WeakMap<DocumentNode, readonly string[]>()

/** The names of the variables that `@skip` and `@include` depend on. */
function conditionsOf(document: DocumentNode): readonly string[] {
  const known = conditions.get(document)
  if (known !== undefined) return known
  const names = new Set<string>()
  visit(document, {
    Directive({ name, arguments: given = [] }) {
      for (const { value } of conditional.has(name.value) ? given : []) {
        if (value.kind === Kind.VARIABLE) names.add(value.name.value)
      }
    },
  })
  const found = [...names]
  conditions.set(document, found)
  return found
}

/** Returns the plan of an operation in a valid document. @param values the variables. */
export function planOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  values: Values,
): Plan {
  const given = Object.fromEntries(conditionsOf(document).map((name) => [name, values[name]]))
  const known = kept.get(operation)
  if (known?.isFor(schema, given)) return known
  const plan = new Plan(schema, document, operation, given)
  kept.set(operation, plan)
  return plan
}
