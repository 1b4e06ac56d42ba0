//! Who sees the page and who may order, over the real router and a real coordinator.

mod support;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use gridproof_page::Right;
use support::{Page, text};

#[tokio::test]
async fn a_stranger_sees_nothing() {
    let page = Page::new().await;
    for path in [
        "/",
        "/search/1",
        "/tree/1",
        "/workers",
        "/orders",
        "/map",
        "/report",
        "/live/searches",
    ] {
        let response = page.get(path, None).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{path}");
        assert!(!text(response).await.contains("TX-H9"), "{path}");
    }
}

#[tokio::test]
async fn a_reader_sees_and_cannot_order() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Read);
    let seen = text(page.get("/search/1", Some(&cookie)).await).await;
    assert!(seen.contains("TX-H9") && !seen.contains("action=\"/order/1\""));
    let refused = page.order(&cookie, "same-origin", "order=stop").await;
    assert_eq!(refused.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn an_operator_orders_and_is_told_what_was_done() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Order);
    let done = page
        .order(&cookie, "same-origin", "order=hint&move=k11+l10")
        .await;
    assert_eq!(done.status(), StatusCode::SEE_OTHER);
    let to = done.headers()[header::LOCATION]
        .to_str()
        .unwrap()
        .to_owned();
    let bench = text(page.get(&to, Some(&cookie)).await).await;
    assert!(
        bench.contains("will be tried before other moves"),
        "{bench}"
    );
    assert!(bench.contains("<span class=\"you\">you</span>"), "{bench}");
    let orders = text(page.get("/orders", Some(&cookie)).await).await;
    assert!(orders.contains("hint"), "{orders}");
}

#[tokio::test]
async fn a_hint_of_a_known_move_is_told_as_what_it_is() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Order);
    let mut crowd = support::Crowd::join(&page.coordinator, 1).await;
    // A glance and a second look, which names moves.
    crowd.answer().await;
    crowd.answer().await;
    let bench = text(page.get("/search/1", Some(&cookie)).await).await;
    let named = bench
        .split("id=\"go-")
        .nth(1)
        .and_then(|row| row.split('"').next());
    let named = named.expect("a move of the table");
    let said = async |mv: &str| {
        let order = format!("order=hint&move={}", mv.replace(' ', "+"));
        let response = page.order(&cookie, "same-origin", &order).await;
        let to = response.headers()[header::LOCATION].to_str().unwrap();
        to.replace("%20", " ")
    };
    for (mv, words) in [
        ("A1 S19", "will be tried before"),
        ("A1 S19", "is hinted already"),
        (named, "was known already"),
        (named, "is hinted already"),
    ] {
        let said = said(mv).await;
        assert!(
            said.contains(words) && said.ends_with("failed=false"),
            "{mv}: {said}"
        );
    }
}

#[tokio::test]
async fn an_order_that_cannot_be_carried_out_is_told_in_words() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Order);
    for order in ["order=hint&move=zz", "order=run&budget=many", "order=fly"] {
        let response = page.order(&cookie, "same-origin", order).await;
        let to = response.headers()[header::LOCATION]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(to.ends_with("failed=true"), "{to}");
    }
}

#[tokio::test]
async fn a_foreign_form_and_a_rebinding_host_are_refused() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Order);
    let foreign = page.order(&cookie, "cross-site", "order=stop").await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    let request = Request::get("/").header(header::HOST, "evil.example:4180");
    let request = request
        .header(header::COOKIE, &cookie)
        .body(Body::empty())
        .unwrap();
    assert_eq!(
        page.send(request).await.status(),
        StatusCode::MISDIRECTED_REQUEST
    );
}

#[tokio::test]
async fn every_answer_carries_a_strict_policy_and_no_inline_styles() {
    let page = Page::new().await;
    let cookie = page.cookie(Right::Order);
    for path in [
        "/",
        "/search/1",
        "/tree/1",
        "/workers",
        "/orders",
        "/map",
        "/login",
    ] {
        let response = page.get(path, Some(&cookie)).await;
        let policy = response.headers()[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .unwrap();
        assert!(
            policy.contains("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        let page = text(response).await;
        assert!(
            !page.contains("style=\"") && !page.contains("<style"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_printed_address_is_good_for_one_visit() {
    let page = Page::new().await;
    let address = format!("/enter?key={}", page.access.new_entry());
    let first = page.get(&address, None).await;
    assert_eq!(first.status(), StatusCode::SEE_OTHER);
    let cookie = first.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    assert_eq!(
        page.get(&address, None).await.status(),
        StatusCode::FORBIDDEN
    );
}
