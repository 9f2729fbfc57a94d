document.querySelectorAll('[data-kind]').forEach((el) => {
  el.addEventListener('change', () => {
    const form = new FormData(el.form);
    form.set('data_type', el.value);
    fetch('/uploads/preview', { method: 'POST', body: form });
  });
});
