// A page with an origin of its own has no storage. The reader wants one, so it gets one that lasts as long as the page.
for (const name of ['localStorage', 'sessionStorage']) {
  try {
    void window[name].length;
  } catch {
    const items = new Map();
    const storage = {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, String(value)),
      removeItem: (key) => void items.delete(key),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
      get length() {
        return items.size;
      },
    };
    Object.defineProperty(window, name, { value: storage });
  }
}
