// The types used by graphql-js's test cases for variables and arguments: `src/execution/__tests__/variables-test.ts` of
// graphql-js 16. Copyright (c) GraphQL Contributors, MIT License.
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  GraphQLError,
  type GraphQLFieldConfig,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql'
import { inspect } from 'graphql/jsutils/inspect.js'
import { expect } from 'vitest'
import { executeSync } from './graphql-js.ts'

const TestFaultyScalarGraphQLError = new GraphQLError('FaultyScalarErrorMessage', {
  extensions: {
    code: 'FaultyScalarErrorMessageExtensionCode',
  },
})

const TestFaultyScalar = new GraphQLScalarType({
  name: 'FaultyScalar',
  parseValue() {
    throw TestFaultyScalarGraphQLError
  },
  parseLiteral() {
    throw TestFaultyScalarGraphQLError
  },
})

const TestComplexScalar = new GraphQLScalarType({
  name: 'ComplexScalar',
  parseValue(value) {
    expect(value).to.equal('SerializedValue')
    return 'DeserializedValue'
  },
  parseLiteral(ast) {
    expect(ast).to.include({ kind: 'StringValue', value: 'SerializedValue' })
    return 'DeserializedValue'
  },
})

const TestInputObject = new GraphQLInputObjectType({
  name: 'TestInputObject',
  fields: {
    a: { type: GraphQLString },
    b: { type: new GraphQLList(GraphQLString) },
    c: { type: new GraphQLNonNull(GraphQLString) },
    d: { type: TestComplexScalar },
    e: { type: TestFaultyScalar },
  },
})

const TestNestedInputObject = new GraphQLInputObjectType({
  name: 'TestNestedInputObject',
  fields: {
    na: { type: new GraphQLNonNull(TestInputObject) },
    nb: { type: new GraphQLNonNull(GraphQLString) },
  },
})

const TestEnum = new GraphQLEnumType({
  name: 'TestEnum',
  values: {
    NULL: { value: null },
    UNDEFINED: { value: undefined },
    NAN: { value: NaN },
    FALSE: { value: false },
    CUSTOM: { value: 'custom value' },
    DEFAULT_VALUE: {},
  },
})

function fieldWithInputArg(inputArg: GraphQLArgumentConfig): GraphQLFieldConfig<unknown, unknown> {
  return {
    type: GraphQLString,
    args: { input: inputArg },
    resolve(_, args) {
      return 'input' in args ? inspect(args['input']) : undefined
    },
  }
}

const TestType = new GraphQLObjectType({
  name: 'TestType',
  fields: {
    fieldWithEnumInput: fieldWithInputArg({ type: TestEnum }),
    fieldWithNonNullableEnumInput: fieldWithInputArg({
      type: new GraphQLNonNull(TestEnum),
    }),
    fieldWithObjectInput: fieldWithInputArg({ type: TestInputObject }),
    fieldWithNullableStringInput: fieldWithInputArg({ type: GraphQLString }),
    fieldWithNonNullableStringInput: fieldWithInputArg({
      type: new GraphQLNonNull(GraphQLString),
    }),
    fieldWithDefaultArgumentValue: fieldWithInputArg({
      type: GraphQLString,
      defaultValue: 'Hello World',
    }),
    fieldWithNonNullableStringInputAndDefaultArgumentValue: fieldWithInputArg({
      type: new GraphQLNonNull(GraphQLString),
      defaultValue: 'Hello World',
    }),
    fieldWithNestedInputObject: fieldWithInputArg({
      type: TestNestedInputObject,
      defaultValue: 'Hello World',
    }),
    list: fieldWithInputArg({ type: new GraphQLList(GraphQLString) }),
    nnList: fieldWithInputArg({
      type: new GraphQLNonNull(new GraphQLList(GraphQLString)),
    }),
    listNN: fieldWithInputArg({
      type: new GraphQLList(new GraphQLNonNull(GraphQLString)),
    }),
    nnListNN: fieldWithInputArg({
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLString))),
    }),
  },
})

/** Each field returns its argument as text. */
export const inputSchema = new GraphQLSchema({ query: TestType })

/** Executes an operation of the schema. */
export function executeQuery(query: string, variableValues?: { [variable: string]: unknown }) {
  const document = parse(query)
  return executeSync({ schema: inputSchema, document, variableValues })
}

/** Executes an operation, and expects the given data and no errors. */
export function expectData(query: string, data: object, variableValues?: { [variable: string]: unknown }) {
  expect(executeQuery(query, variableValues)).to.deep.equal({ data })
}
