// Bytes that arrive in chunks, in one piece of memory. If their number is known, each is copied once.

/** The first allocation if nothing is known about the number of bytes. */
const UNKNOWN = 64 * 1024

export class ArrivingBytes {
  #memory: Buffer<ArrayBuffer>
  #size = 0

  /** @param expected the number of bytes, if it is known. More may arrive. */
  constructor(expected = UNKNOWN) {
    this.#memory = Buffer.allocUnsafeSlow(expected)
  }

  /** The number of bytes that have arrived. */
  get size(): number {
    return this.#size
  }

  add(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength
    if (size > this.#memory.byteLength) this.#grow(size)
    this.#memory.set(chunk, this.#size)
    this.#size = size
  }

  /** Returns the bytes. Nothing may be added afterwards. */
  end(): Buffer<ArrayBuffer> {
    return this.#memory.subarray(0, this.#size)
  }

  #grow(size: number): void {
    const memory = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#memory.byteLength))
    this.#memory.copy(memory, 0, 0, this.#size)
    this.#memory = memory
  }
}
