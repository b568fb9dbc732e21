// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EMoneyToken} from "../../src/EMoneyToken.sol";
import {SwapSettlement} from "../../src/SwapSettlement.sol";
import {MiniTest} from "./MiniTest.sol";

/// @dev Acts as a maker who signs quotes and as takers who swap: in time and too late, repeatedly, with altered quotes and with those of
/// others. Keeps its own record of which swaps must succeed.
contract SwapModel is MiniTest {
    SwapSettlement private immutable settlement;
    uint256 private immutable makerKey;
    EMoneyToken[2] private tokens;

    uint256[3] private takerKeys = [uint256(0x7A1), 0x7A2, 0x7A3];
    SwapSettlement.Quote[] private quotes;
    bytes[] private signatures;
    mapping(uint256 nonce => bool) private spent;

    /// By the token's index: what the maker received and paid.
    uint256[2] public gained;
    uint256[2] public paid;
    uint256 public swaps;
    uint256 public refusals;

    /// The first broken expectation, for the invariant to report.
    string public breach;

    constructor(SwapSettlement settlement_, EMoneyToken[2] memory tokens_, uint256 makerKey_) {
        settlement = settlement_;
        tokens = tokens_;
        makerKey = makerKey_;
    }

    function takers(uint256 index) public view returns (address) {
        return vm.addr(takerKeys[index]);
    }

    /// @dev Sometimes with a nonce that was used before.
    function commit(uint256 seed) external {
        uint256 side = seed % 2;
        SwapSettlement.Quote memory quote = SwapSettlement.Quote({
            taker: takers((seed >> 8) % 3),
            takerToken: address(tokens[side]),
            makerToken: address(tokens[1 - side]),
            takerAmount: (seed >> 16) % 200e18,
            makerAmount: (seed >> 80) % 200e18,
            expiry: block.timestamp + (seed >> 144) % 100,
            nonce: quotes.length == 0 || (seed >> 160) % 8 != 0 ? quotes.length : (seed >> 168) % quotes.length,
            quoteId: bytes16(bytes32(seed))
        });
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(makerKey, digestOf(quote));
        quotes.push(quote);
        signatures.push(abi.encodePacked(r, s, v));
    }

    function swap(uint256 which, uint256 how) external {
        if (quotes.length == 0) return;
        which %= quotes.length;
        SwapSettlement.Quote memory quote = quotes[which];
        address caller = quote.taker;
        bool altered = how % 4 == 0;
        if (altered) {
            if ((how >> 8) % 3 == 0) quote.makerAmount += 1 + (how >> 16) % 1e18;
            else if ((how >> 8) % 3 == 1) quote.takerAmount = quote.takerAmount == 0 ? 1 : quote.takerAmount - 1;
            else caller = takers((how >> 16) % 3);
            altered = caller != quote.taker || (how >> 8) % 3 != 2;
        }
        bool good = !altered && block.timestamp <= quote.expiry && !spent[quote.nonce] && isCovered(quote);
        bool passed = send(caller, quote, signatures[which]);
        if (passed && !good) breach = "a quote passed that should not";
        if (!passed && good) breach = "a good quote was refused";
        if (passed) note(quote);
        else refusals += 1;
    }

    /// @dev Rarely, so that most quotes live long enough.
    function cancel(uint256 seed) external {
        if (seed % 4 != 0) return;
        uint256[] memory nonces = new uint256[](1);
        nonces[0] = (seed >> 8) % (quotes.length + 2);
        vm.prank(vm.addr(makerKey));
        settlement.cancelNonces(nonces);
        spent[nonces[0]] = true;
    }

    function wait(uint256 seed) external {
        vm.warp(block.timestamp + seed % 60);
    }

    function send(address caller, SwapSettlement.Quote memory q, bytes memory signature) private returns (bool) {
        vm.prank(caller);
        try settlement.swap(
            q.taker, q.takerToken, q.makerToken, q.takerAmount, q.makerAmount, q.expiry, q.nonce, q.quoteId, signature
        ) {
            return true;
        } catch {
            return false;
        }
    }

    function note(SwapSettlement.Quote memory quote) private {
        uint256 side = quote.takerToken == address(tokens[0]) ? 0 : 1;
        spent[quote.nonce] = true;
        gained[side] += quote.takerAmount;
        paid[1 - side] += quote.makerAmount;
        swaps += 1;
    }

    function isCovered(SwapSettlement.Quote memory quote) private view returns (bool) {
        return EMoneyToken(quote.takerToken).balanceOf(quote.taker) >= quote.takerAmount
            && EMoneyToken(quote.makerToken).balanceOf(vm.addr(makerKey)) >= quote.makerAmount;
    }

    function digestOf(SwapSettlement.Quote memory quote) private view returns (bytes32) {
        bytes32 typehash = keccak256(
            "Quote(address taker,address takerToken,address makerToken,uint256 takerAmount,uint256 makerAmount,uint256 expiry,uint256 nonce,bytes16 quoteId)"
        );
        return keccak256(abi.encodePacked(hex"1901", settlement.DOMAIN_SEPARATOR(), keccak256(abi.encode(typehash, quote))));
    }
}
