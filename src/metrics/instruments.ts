// The instruments of one registry, made from their definitions.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricDefinition } from './definitions.ts'

/** A value, and the values of the labels in the order of their definition. */
export type Sample = readonly [value: number, ...labels: string[]]

/** Reads the samples of a metric at a scrape. Without samples, a metric with labels is absent. */
type Read = () => Promise<readonly Sample[]> | readonly Sample[]

export class Instruments {
  /** Not the registry that prom-client shares: tests open many gateways in one process. */
  readonly registry = new Registry()

  counter(definition: MetricDefinition): Counter {
    return new Counter(this.#optionsOf(definition))
  }

  gauge(definition: MetricDefinition): Gauge {
    return new Gauge(this.#optionsOf(definition))
  }

  histogram(definition: MetricDefinition): Histogram {
    return new Histogram({ ...this.#optionsOf(definition), buckets: [...(definition.buckets ?? [])] })
  }

  /** A gauge that is read at each scrape. */
  readGauge(definition: MetricDefinition, read: Read): void {
    const gauge = this.gauge(definition)
    this.#atScrape(gauge, read, ([value, ...labels]) => gauge.labels(...labels).set(value))
  }

  /** A counter that something else counts, read at each scrape. */
  readCounter(definition: MetricDefinition, read: Read): void {
    const counter = this.counter(definition)
    this.#atScrape(counter, read, ([value, ...labels]) => counter.labels(...labels).inc(value))
  }

  #atScrape(metric: Counter | Gauge, read: Read, write: (sample: Sample) => void): void {
    Object.assign(metric, {
      async collect() {
        const samples = await read()
        // Without a pause in between, so that two scrapes at a time see all samples.
        metric.reset()
        for (const sample of samples) write(sample)
      },
    })
  }

  #optionsOf({ name, help, labels }: MetricDefinition) {
    return { name, help, labelNames: [...labels], registers: [this.registry] }
  }
}
