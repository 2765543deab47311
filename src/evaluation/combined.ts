// Combines concurrent evaluations, so that a thread takes them in one batch.
import DataLoader from 'dataloader'
import type { Evaluation } from './evaluator.ts'
import type { Evaluated, Input, Kind, Output } from './work.ts'

/** Returns the same evaluation with the same budget, but with fewer and larger batches. */
export function combined({ run, pause }: Evaluation): Evaluation {
  const loaderOf = <Name extends Kind>(kind: Name) =>
    new DataLoader<Input<Name>, Evaluated<Output<Name>>>((inputs) => run(kind, inputs), { cache: false })
  const loaders = {
    render: loaderOf('render'),
    condition: loaderOf('condition'),
    template: loaderOf('template'),
    variables: loaderOf('variables'),
    schema: loaderOf('schema'),
    validation: loaderOf('validation'),
    htmlText: loaderOf('htmlText'),
    erasure: loaderOf('erasure'),
  } satisfies { readonly [Name in Kind]: DataLoader<Input<Name>, Evaluated<Output<Name>>> }
  return {
    run<Name extends Kind>(kind: Name, inputs: readonly Input<Name>[]) {
      const loader: DataLoader<Input<Name>, Evaluated<Output<Name>>> = loaders[kind]
      return Promise.all(inputs.map((input) => loader.load(input)))
    },
    pause,
  }
}
