/**
 * Opens a store of rows in this origin's IndexedDB, with `keyPath` as key. Its operations reject if the browser denies
 * storage.
 */
export function openKeptRows<Row>(name: string, keyPath: keyof Row & string) {
  const opening = opened(name, keyPath)

  async function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>) {
    const database = await opening
    return settled(work(database.transaction(name, mode).objectStore(name)))
  }

  return {
    all: async (): Promise<readonly Row[]> => run('readonly', (store) => store.getAll()),
    find: async (key: string): Promise<Row | undefined> =>
      run('readonly', (store) => store.get(key)),
    put: (row: Row) => run('readwrite', (store) => store.put(row)),
    remove: (key: string) => run('readwrite', (store) => store.delete(key)),
  }
}

function opened(name: string, keyPath: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore(name, { keyPath })
  }
  return settled(request)
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
