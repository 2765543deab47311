// The instruments of one registry, made from their definitions.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { MetricDefinition } from './process-definitions.ts'

/** The values of the labels, in the order of their definition. */
export type Labels = readonly string[]

/** A value, and the values of the labels in the order of their definition. */
export type Sample = readonly [value: number, ...labels: string[]]

/** Reads the samples of a metric during a scrape. Without samples, the metric is absent. */
type Read = () => Promise<readonly Sample[]> | readonly Sample[]

export class Instruments {
  /** Not prom-client's shared registry, because tests open many gateways in one process. */
  readonly registry = new Registry()

  /** @param first the label values of series that start at 0. */
  counter(definition: MetricDefinition, first: readonly Labels[] = []): Counter {
    const counter = new Counter(this.#optionsOf(definition))
    for (const labels of first) counter.labels(...labels).inc(0)
    return counter
  }

  gauge(definition: MetricDefinition): Gauge {
    return new Gauge(this.#optionsOf(definition))
  }

  /** @param first as for a counter. */
  histogram(definition: MetricDefinition, first: readonly Labels[] = []): Histogram {
    const histogram = new Histogram({ ...this.#optionsOf(definition), buckets: [...(definition.buckets ?? [])] })
    for (const labels of first) {
      histogram.zero(Object.fromEntries(definition.labels.map((label, index) => [label, labels[index] ?? ''])))
    }
    return histogram
  }

  /** A gauge that is read at each scrape. */
  readGauge(definition: MetricDefinition, read: Read): void {
    const gauge = this.gauge(definition)
    this.#atScrape(definition, gauge, read, ([value, ...labels]) => gauge.labels(...labels).set(value))
  }

  /** A counter that is maintained elsewhere and read at each scrape. */
  readCounter(definition: MetricDefinition, read: Read): void {
    const counter = this.counter(definition)
    this.#atScrape(definition, counter, read, ([value, ...labels]) => counter.labels(...labels).inc(value))
  }

  #atScrape({ labels }: MetricDefinition, metric: Counter | Gauge, read: Read, write: (sample: Sample) => void): void {
    Object.assign(metric, {
      async collect() {
        const samples = await read()
        // Synchronous, so that two concurrent scrapes both see all samples.
        metric.reset()
        // Without labels, prom-client would report 0.
        if (labels.length === 0) metric.remove()
        for (const sample of samples) write(sample)
      },
    })
  }

  #optionsOf({ name, help, labels }: MetricDefinition) {
    return { name, help, labelNames: [...labels], registers: [this.registry] }
  }
}
