// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SwapSettlement} from "../../src/SwapSettlement.sol";
import {EMoneyToken} from "../../src/EMoneyToken.sol";
import {Batches} from "./Batches.sol";
import {TokenTest} from "./TokenTest.sol";

/// @dev A settlement contract and two e-money tokens. Alice is the taker and holds euros, the maker holds dollars; both gave it an allowance.
abstract contract SwapTest is TokenTest {
    uint256 internal constant MAKER_KEY = 0x3A4E7;
    bytes32 internal constant TYPEHASH = keccak256(
        "Quote(address taker,address takerToken,address makerToken,uint256 takerAmount,uint256 makerAmount,uint256 expiry,uint256 nonce,bytes16 quoteId)"
    );

    address internal immutable owner = address(0x0117);
    address internal immutable maker = vm.addr(MAKER_KEY);

    EMoneyToken internal eur;
    EMoneyToken internal usd;
    SwapSettlement internal settlement;

    function setUp() public virtual override {
        super.setUp();
        eur = token;
        usd = deploy("USD");
        addOperator(usd);
        settlement = new SwapSettlement(owner, maker);
        fund(eur, alice, 1_000e18);
        fund(usd, maker, 1_000e18);
        vm.warp(1_800_000_000);
    }

    /// @dev Issues tokens and gives the settlement contract an allowance for all of them.
    function fund(EMoneyToken currency, address account, uint256 amount) internal {
        bytes memory batch = Batches.pack(issueItem(nextSequence++, account, amount));
        vm.prank(operator);
        currency.issue(batch);
        vm.prank(account);
        currency.approve(address(settlement), type(uint256).max);
    }

    function aQuote() internal view returns (SwapSettlement.Quote memory) {
        return SwapSettlement.Quote({
            taker: alice,
            takerToken: address(eur),
            makerToken: address(usd),
            takerAmount: 100e18,
            makerAmount: 110e18,
            expiry: block.timestamp + 60,
            nonce: 7,
            quoteId: bytes16(keccak256("quote"))
        });
    }

    function digestOf(SwapSettlement.Quote memory quote) internal view returns (bytes32) {
        return digestUnder(settlement.DOMAIN_SEPARATOR(), quote);
    }

    function digestUnder(bytes32 domain, SwapSettlement.Quote memory quote) internal pure returns (bytes32) {
        bytes32 content = keccak256(
            abi.encode(
                TYPEHASH,
                quote.taker,
                quote.takerToken,
                quote.makerToken,
                quote.takerAmount,
                quote.makerAmount,
                quote.expiry,
                quote.nonce,
                quote.quoteId
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, content));
    }

    function signDigest(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function signQuote(SwapSettlement.Quote memory quote) internal view returns (bytes memory) {
        return signDigest(MAKER_KEY, digestOf(quote));
    }

    /// @dev Swaps as the quote's taker.
    function swap(SwapSettlement.Quote memory quote, bytes memory signature) internal {
        vm.prank(quote.taker);
        settlement.swap(
            quote.taker,
            quote.takerToken,
            quote.makerToken,
            quote.takerAmount,
            quote.makerAmount,
            quote.expiry,
            quote.nonce,
            quote.quoteId,
            signature
        );
    }
}
